// The public lasso: its optimality conditions for all kinds of atoms, agreement with FISTA, threads, units, and what it
// rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/linalg.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

Mat dense_codes(const Codes& codes) {
    return as_columns(codes.as_matrix());
}

/// At the minimum the slope of an active atom is lambda with the sign of its value, and no slope exceeds lambda.
void expect_lasso_minimum(const Mat& D, const Mat& Y, double lambda, double tolerance = 1e-9) {
    const Codes codes = encode(to_rows(D), to_rows(Y), LassoOptions{.lambda = lambda});
    const Mat X = dense_codes(codes);
    const Mat residual = Y - D * X;
    const Mat slope = D.transpose() * residual;
    for (Eigen::Index i = 0; i < X.size(); ++i) {
        const double x = X.data()[i], s = slope.data()[i];
        if (x == 0.0)
            EXPECT_LE(std::abs(s), lambda * (1.0 + tolerance));
        else
            EXPECT_NEAR(s, std::copysign(lambda, x), tolerance * lambda);
    }
    for (Eigen::Index i = 0; i < Y.cols(); ++i)
        EXPECT_NEAR(codes.sparse.residual_norm[static_cast<std::size_t>(i)], residual.col(i).norm(), 1e-10 * Y.norm());
}

TEST(EncodeLasso, MeetsTheOptimalityConditions) {
    Numbers numbers(1);
    for (const Shape& shape : {Shape{10, 25, 40}, Shape{30, 8, 9}, Shape{1, 3, 5}, Shape{12, 60, 200}}) {
        const Mat D = numbers.normals(shape.M, shape.N);
        const Mat Y = 3.0 * numbers.normals(shape.M, shape.L);
        for (const double lambda : {5.0, 0.5, 0.01}) expect_lasso_minimum(D, Y, lambda);
    }
}

TEST(EncodeLasso, DependentAndZeroAtomsStillGiveAMinimum) {
    Numbers numbers(2);
    Mat D = numbers.normals(6, 20);
    D.col(3) = D.col(2);
    D.col(5) = -D.col(2);
    D.col(7) = D.col(0) + D.col(1);
    D.col(9).setZero();
    D.col(11) = 0.5 * (D.col(0) + D.col(1));
    const Mat Y = D.col(2).replicate(1, 60) + D.col(7).replicate(1, 60) + numbers.normals(6, 60);
    expect_lasso_minimum(D, Y, 0.1);
    EXPECT_EQ(dense_codes(encode(to_rows(D), to_rows(Y), LassoOptions{.lambda = 0.1})).row(9).norm(), 0.0);
    EXPECT_TRUE(encode(Matrix(3, 6), to_rows(Y), LassoOptions{.lambda = 0.1}).sparse.atom.empty())
        << "atoms that are all zero";
}

// Atoms so similar that the factor hardly separates them: moves are too short, and repeated.
TEST(EncodeLasso, AtomsThatAreAlmostCopiesStillGiveAMinimum) {
    Numbers numbers(3);
    for (const double apart : {1e-3, 1e-5, 1e-6}) {
        const Mat half = numbers.normals(8, 10);
        Mat D(8, 20);
        D << half, half + apart * numbers.normals(8, 10);
        expect_lasso_minimum(D, numbers.normals(8, 30), 0.2, 1e-7);
    }
}

TEST(EncodeLasso, AgreesWithFista) {
    Numbers numbers(4);
    const Matrix atoms = to_rows(numbers.normals(40, 15));  // more entries than atoms: a unique, sharp minimum
    const Matrix rows = to_rows(3.0 * numbers.normals(40, 30));
    for (const double lambda : {2.0, 8.0, 20.0}) {
        const Mat found = dense_codes(encode(atoms, rows, LassoOptions{.lambda = lambda}));
        const FistaOptions exact{.lambda = lambda, .max_steps = 100000, .tolerance = 1e-14};
        const Matrix other = encode(atoms, rows, exact).dense;
        EXPECT_LT((found - as_columns(other)).lpNorm<Eigen::Infinity>(), 1e-6);
    }
}

TEST(EncodeLasso, ThreadsDoNotChangeTheResult) {
    Numbers numbers(5);
    const Matrix atoms = to_rows(numbers.normals(12, 30)), rows = to_rows(numbers.normals(12, 300));
    const LassoOptions options{.lambda = 0.3};
    const SparseCodes one = encode(atoms, rows, options, {.execution = {.threads = 1}}).sparse;
    const SparseCodes two = encode(atoms, rows, options, {.execution = {.threads = 2}}).sparse;
    EXPECT_EQ(one.start, two.start);
    EXPECT_EQ(one.atom, two.atom);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(one.residual_norm, two.residual_norm);

    std::size_t next = 0;
    encode(atoms, MemorySource{rows}, options, {.execution = {.threads = 2}}, [&](const Codes& codes) {
        const SparseCodes& block = codes.sparse;
        EXPECT_EQ(codes.first, next);
        EXPECT_EQ(codes.unsettled, 0U);
        EXPECT_TRUE(std::equal(block.value.begin(), block.value.end(),
                               one.value.begin() + static_cast<std::ptrdiff_t>(one.start[codes.first])));
        next += block.count();
    });
    EXPECT_EQ(next, 300U);
}

TEST(EncodeLasso, UnitsDoNotMatter) {
    Numbers numbers(6);
    const Mat D = numbers.normals(12, 30), Y = numbers.normals(12, 20);
    const Mat want = dense_codes(encode(to_rows(D), to_rows(Y), LassoOptions{.lambda = 0.3}));
    const auto expect_scaled = [&](int of_atoms, int of_signals) {
        const double atoms = std::ldexp(1.0, of_atoms), signals = std::ldexp(1.0, of_signals);
        const LassoOptions options{.lambda = std::ldexp(0.3, of_atoms + of_signals)};
        const Mat got = dense_codes(encode(to_rows(atoms * D), to_rows(signals * Y), options));
        for (Eigen::Index i = 0; i < want.size(); ++i)
            ASSERT_EQ(std::ldexp(got.data()[i], of_atoms - of_signals), want.data()[i]) << of_atoms << of_signals;
    };
    expect_scaled(0, -600);
    expect_scaled(0, 600);
    expect_scaled(-300, 3);
    expect_scaled(300, -300);
}

TEST(EncodeLasso, AnAtomMuchSmallerThanTheOthersCountsAsZero) {
    Numbers numbers(7);
    Mat D = numbers.normals(6, 8);
    D.col(4) *= 1e-200;
    const Mat Y = numbers.normals(6, 10);
    const Mat X = dense_codes(encode(to_rows(D), to_rows(Y), LassoOptions{.lambda = 1e-250}));
    EXPECT_TRUE(X.allFinite());
    EXPECT_EQ(X.row(4).norm(), 0.0);
}

TEST(EncodeLasso, ReportsWhenStepsWereTooFew) {
    Numbers numbers(8);
    const Matrix atoms = to_rows(numbers.normals(12, 30)), rows = to_rows(numbers.normals(12, 40));
    const Codes codes = encode(atoms, rows, LassoOptions{.lambda = 0.01, .max_steps = 1});
    EXPECT_EQ(codes.sparse.atom.size(), codes.sparse.count()) << "one atom each";
    EXPECT_EQ(codes.unsettled, 40U);
}

TEST(EncodeLasso, ReportsWhenRoundingDecides) {
    Numbers numbers(8);
    const Matrix atoms = to_rows(numbers.normals(12, 30)), rows = to_rows(numbers.normals(12, 40));
    for (const double lambda : {1e-6, 1e-14}) {
        const std::size_t open = encode(atoms, rows, LassoOptions{.lambda = lambda}).unsettled;
        EXPECT_EQ(open, lambda > 1e-10 ? 0U : 40U) << lambda;
    }
}

TEST(EncodeLasso, RejectsInvalidInput) {
    Numbers numbers(9);
    const Matrix atoms = to_rows(numbers.normals(12, 30)), rows = to_rows(numbers.normals(12, 5));
    const auto reject = [&](const LassoOptions& options, std::initializer_list<std::string_view> words) {
        expect_error<InputError>([&] { encode(atoms, rows, options); }, words);
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    reject({}, {"lasso: lambda is 0, must be a number above 0"});
    reject({.lambda = -0.5}, {"lambda is -0.5"});
    reject({.lambda = infinity}, {"lambda is inf"});
    reject({.lambda = std::numeric_limits<double>::quiet_NaN()}, {"lambda is nan"});
    reject({.lambda = 1.0, .max_steps = 0}, {"max_steps is 0, must be at least 1"});
    const LassoOptions good{.lambda = 1.0};
    expect_error<InputError>([&] { encode(atoms, Matrix(3, 11), good); }, {"11 entries", "12"});
    expect_error<InputError>([&] { encode(Matrix(), rows, good); }, {"lasso: the dictionary is empty"});
    Matrix broken = atoms;
    broken(2, 3) = std::numeric_limits<double>::quiet_NaN();
    expect_error<InputError>([&] { encode(broken, rows, good); }, {"atom 2, entry 3", "nan"});
    broken = rows;
    broken(1, 1) = infinity;
    expect_error<InputError>([&] { encode(atoms, broken, good); }, {"row 1, column 1", "inf"});
}

}  // namespace
}  // namespace sbdl::test
