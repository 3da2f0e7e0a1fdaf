// The public coder: blocks, order, threads, units, and what it rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference_omp.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

// 300 signals: two full blocks and a partial one.
struct Problem {
    explicit Problem(std::uint64_t seed, Eigen::Index M = 12, Eigen::Index N = 30, Eigen::Index L = 300) {
        Numbers numbers(seed);
        D = numbers.normals(M, N);
        Y = numbers.normals(M, L);
        dictionary = to_rows(D);
        signals = to_rows(Y);
    }
    Mat D, Y;
    Matrix dictionary, signals;
};

void expect_equal(const SparseCodes& a, const SparseCodes& b) {
    EXPECT_EQ(a.atoms, b.atoms);
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.atom, b.atom);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.residual_norm, b.residual_norm);
}

TEST(EncodeOmp, CodesAreThoseOfTheDefinition) {
    const Problem problem(1);
    for (const OmpOptions& options : {OmpOptions{.max_nonzeros = 4}, OmpOptions{.max_error = 1.5},
                                      OmpOptions{.max_nonzeros = 3, .max_error = 1.5, .pursuit = Pursuit::ormp}}) {
        const SparseCodes codes =
            encode(problem.dictionary, problem.signals, options, {.execution = {.threads = 1}}).sparse;
        ASSERT_EQ(codes.count(), 300U);
        EXPECT_EQ(codes.atoms, 30U);
        for (std::size_t i = 0; i < codes.count(); ++i) {
            const ReferenceCode expected =
                reference_omp(problem.D, problem.Y.col(static_cast<Eigen::Index>(i)), options);
            ASSERT_EQ(codes.start[i + 1] - codes.start[i], expected.atoms.size()) << i;
            for (std::size_t k = 0; k < expected.atoms.size(); ++k) {
                ASSERT_EQ(codes.atom[codes.start[i] + k], expected.atoms[k]);
                ASSERT_NEAR(codes.value[codes.start[i] + k], expected.values[static_cast<Eigen::Index>(k)], 1e-11);
            }
            ASSERT_NEAR(codes.residual_norm[i], expected.residual_norm, 1e-9);
        }
    }
}

TEST(EncodeOmp, BlocksComeInOrderAndAgreeWithAllAtOnce) {
    const Problem problem(2);
    const OmpOptions options{.max_nonzeros = 3};
    const SparseCodes all = encode(problem.dictionary, problem.signals, options).sparse;
    std::size_t next = 0;
    encode(problem.dictionary, MemorySource{problem.signals}, options, {.execution = {.threads = 2}},
           [&](const Codes& codes) {
               const std::size_t first = codes.first;
               const SparseCodes& block = codes.sparse;
               EXPECT_EQ(first, next);
               for (std::size_t i = 0; i < block.count(); ++i)
                   for (std::size_t k = 0; k < block.start[i + 1] - block.start[i]; ++k) {
                       EXPECT_EQ(block.atom[block.start[i] + k], all.atom[all.start[first + i] + k]);
                       EXPECT_EQ(block.value[block.start[i] + k], all.value[all.start[first + i] + k]);
                   }
               next += block.count();
           });
    EXPECT_EQ(next, 300U);
}

TEST(EncodeOmp, ThreadsDoNotChangeTheResult) {
    const Problem problem(3, 12, 30, 2500);
    for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp}) {
        const OmpOptions options{.max_nonzeros = 5, .max_error = 1.0, .pursuit = pursuit};
        const SparseCodes one =
            encode(problem.dictionary, problem.signals, options, {.execution = {.threads = 1}}).sparse;
        for (const int threads : {2, 3, 7})
            expect_equal(
                one, encode(problem.dictionary, problem.signals, options, {.execution = {.threads = threads}}).sparse);
    }
}

// Scaling by a power of two is exact, even at the ends of the range of doubles.
TEST(EncodeOmp, UnitsDoNotMatter) {
    const Problem problem(4);
    const SparseCodes expected =
        encode(problem.dictionary, problem.signals, OmpOptions{.max_nonzeros = 6, .max_error = 1.0}).sparse;
    for (const int power : {-1000, -300, 3, 1000}) {
        Matrix signals = problem.signals;
        for (std::size_t i = 0; i < signals.size(); ++i) signals.data()[i] = std::ldexp(signals.data()[i], power);
        SparseCodes found =
            encode(problem.dictionary, signals, OmpOptions{.max_nonzeros = 6, .max_error = std::ldexp(1.0, power)})
                .sparse;
        for (double& value : found.value) value = std::ldexp(value, -power);
        for (double& norm : found.residual_norm) norm = std::ldexp(norm, -power);
        expect_equal(expected, found);
    }
}

TEST(EncodeOmp, ZeroSignalsHaveEmptyCodes) {
    const Problem problem(5);
    const SparseCodes codes = encode(problem.dictionary, Matrix(3, 12), OmpOptions{.max_nonzeros = 6}).sparse;
    EXPECT_EQ(codes.start, (std::vector<std::size_t>{0, 0, 0, 0}));
    EXPECT_EQ(codes.residual_norm, (std::vector<double>{0.0, 0.0, 0.0}));
}

TEST(EncodeOmp, SubnormalSignalsAreCoded) {
    Matrix signals(1, 2);
    signals(0, 1) = 6.0 * std::numeric_limits<double>::denorm_min();
    Matrix atoms(1, 2);
    atoms(0, 1) = -2.0;
    const SparseCodes codes = encode(atoms, signals, OmpOptions{.max_nonzeros = 1}).sparse;
    ASSERT_EQ(codes.value.size(), 1U);
    EXPECT_EQ(codes.value[0], -3.0 * std::numeric_limits<double>::denorm_min());
}

TEST(EncodeOmp, CodesThatOverflowAreReported) {
    const Matrix signals(1, 1, 1e300), atoms(1, 1, 1e-300);
    expect_error<NumericError>([&] { encode(atoms, signals, OmpOptions{.max_nonzeros = 1}); },
                               {"row 0", "double precision"});
}

TEST(EncodeOmp, RejectsInvalidInput) {
    const Problem problem(6);
    expect_error<InputError>([&] { encode(problem.dictionary, problem.signals, OmpOptions{}); },
                             {"max_nonzeros", "max_error"});
    expect_error<InputError>([&] { encode(problem.dictionary, Matrix(2, 11, 1.0), OmpOptions{.max_nonzeros = 1}); },
                             {"signals in memory", "11", "12"});
    expect_error<InputError>([&] { encode(problem.dictionary, Matrix(0, 12), OmpOptions{.max_nonzeros = 1}); },
                             {"0 rows"});
    Matrix broken = problem.signals;
    broken(200, 3) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { encode(problem.dictionary, broken, OmpOptions{.max_nonzeros = 1}); },
                             {"row 200", "column 3"});
    broken = problem.signals;
    for (double& value : broken.row(150)) value = std::nan("");
    expect_error<InputError>([&] { encode(problem.dictionary, broken, OmpOptions{.max_nonzeros = 1}); },
                             {"every entry of row 150", "missing"});
}

// The pursuit of the observed entries alone, with atoms that have no others; the error that is allowed is in proportion
// to the root of their number. Complete signals are coded as ever, to the last bit.
TEST(EncodeOmp, MissingEntriesDoNotCount) {
    Problem problem(8);
    problem.D = problem.D * Numbers(9).spread(30, 1, -2.0, 2.0).asDiagonal();
    problem.D.col(4).setZero();
    problem.dictionary = to_rows(problem.D);
    Numbers numbers(10);
    Mat gappy = problem.Y;
    gappy.leftCols(200) += random_gaps(12, 200, 0.5, numbers);
    for (const OmpOptions& options : {OmpOptions{.max_nonzeros = 3}, OmpOptions{.max_error = 1.5},
                                      OmpOptions{.max_nonzeros = 4, .max_error = 1.0, .pursuit = Pursuit::ormp}}) {
        const SparseCodes whole = encode(problem.dictionary, problem.signals, options).sparse;
        const SparseCodes codes =
            encode(problem.dictionary, to_rows(gappy), options, {.execution = {.threads = 2}}).sparse;
        ASSERT_EQ(codes.count(), 300U);
        for (std::size_t i = 0; i < 300; ++i) {
            SCOPED_TRACE(i);
            const Vec y = gappy.col(static_cast<Eigen::Index>(i));
            const std::size_t size = codes.start[i + 1] - codes.start[i];
            if (!y.hasNaN()) {
                ASSERT_EQ(size, whole.start[i + 1] - whole.start[i]);
                for (std::size_t k = 0; k < size; ++k)
                    ASSERT_EQ(codes.value[codes.start[i] + k], whole.value[whole.start[i] + k]);
                continue;
            }
            std::vector<Eigen::Index> rows;
            for (Eigen::Index m = 0; m < 12; ++m)
                if (!std::isnan(y[m])) rows.push_back(m);
            OmpOptions less = options;
            less.max_error *= std::sqrt(static_cast<double>(rows.size()) / 12.0);
            const ReferenceCode expected = reference_omp(problem.D(rows, Eigen::all), y(rows), less);
            ASSERT_NEAR(codes.residual_norm[i], expected.residual_norm, 1e-7);
            // In the last dimension every atom leaves nothing, and ORMP's pick is arbitrary.
            if (expected.atoms.size() == rows.size()) continue;
            ASSERT_EQ(size, expected.atoms.size());
            for (std::size_t k = 0; k < size; ++k) {
                const auto atom = static_cast<Eigen::Index>(codes.atom[codes.start[i] + k]);
                ASSERT_EQ(atom, expected.atoms[k]);
                ASSERT_NEAR(codes.value[codes.start[i] + k] * problem.D.col(atom).norm(),
                            expected.values[static_cast<Eigen::Index>(k)] * problem.D.col(atom).norm(), 1e-7);
            }
        }
    }
}

TEST(EncodeOmp, GappySignalsInAnyUnits) {
    const Matrix gappy = with_random_gaps(Problem(11).signals, 0.4);
    Matrix tiny = gappy;
    for (std::size_t i = 0; i < tiny.size(); ++i) tiny.data()[i] = std::ldexp(tiny.data()[i], -900);
    const OmpOptions options{.max_nonzeros = 3};
    const SparseCodes codes = encode(Problem(11).dictionary, gappy, options).sparse;
    const SparseCodes small = encode(Problem(11).dictionary, tiny, options).sparse;
    ASSERT_EQ(codes.atom, small.atom);
    for (std::size_t k = 0; k < codes.value.size(); ++k) ASSERT_EQ(std::ldexp(codes.value[k], -900), small.value[k]);
}

// An exception of the sink reaches the caller.
TEST(EncodeOmp, TheSinkMayThrow) {
    const Problem problem(7);
    const auto give_up = [](const Codes&) { throw std::runtime_error("enough"); };
    const MemorySource signals{problem.signals};
    const OmpOptions options{.max_nonzeros = 1};
    EXPECT_THROW(encode(problem.dictionary, signals, options, {}, give_up), std::runtime_error);
}

}  // namespace
}  // namespace sbdl::test
