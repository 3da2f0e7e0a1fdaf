// Batch-OMP, one signal at a time as a denoiser calls it: against the plain pursuit on many small random problems, and
// in edge cases.
#include "coders/batch_omp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference_omp.hpp"
#include "sbdl/error.hpp"
#include "support/dense_algebra.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

struct Case {
    Eigen::Index M, N;
};

struct OneCode {
    std::vector<Eigen::Index> atoms;
    std::vector<double> values;
    double residual2;
};

OneCode code(const BatchOmp& omp, const Vec& y, double max_error2, const double* signal = nullptr) {
    BatchOmp::Scratch scratch(omp);
    std::vector<double> correlations(omp.atoms());
    omp.correlate(y.data(), 1, correlations.data());
    const BatchOmp::Code found = omp.code(correlations, y.squaredNorm(), max_error2, scratch, signal);
    return {{found.atoms.begin(), found.atoms.end()}, {found.values.begin(), found.values.end()}, found.residual2};
}

class AgainstTheDefinition : public testing::TestWithParam<Case> {
protected:
    // Atoms of very different norms.
    void make(std::uint64_t seed) {
        Numbers numbers(seed);
        D_ = numbers.normals(GetParam().M, GetParam().N) * numbers.spread(GetParam().N, 1, -2.0, 2.0).asDiagonal();
        y_ = numbers.normals(GetParam().M, 1);
        rows_ = to_rows(D_);
    }

    void expect_same(const OmpOptions& options) {
        const ReferenceCode expected = reference_omp(D_, y_, options);
        const OneCode found = code(BatchOmp(rows_, options), y_, options.max_error * options.max_error);
        EXPECT_NEAR(std::sqrt(found.residual2), expected.residual_norm, 1e-6 * y_.norm());
        // With all but one of M dimensions used, every remaining atom reduces the residual to zero: the next pick is
        // arbitrary.
        const bool full = options.pursuit == Pursuit::ormp && expected.atoms.size() == std::size_t(D_.rows());
        if (full && found.atoms.size() == expected.atoms.size()) return;
        ASSERT_EQ(found.atoms, expected.atoms);
        for (std::size_t k = 0; k < found.atoms.size(); ++k) {
            const double norm = D_.col(found.atoms[k]).norm();
            EXPECT_NEAR(found.values[k] * norm, expected.values[static_cast<Eigen::Index>(k)] * norm, 1e-8) << k;
        }
    }

    Mat D_;
    Vec y_;
    Matrix rows_;
};

TEST_P(AgainstTheDefinition, SameSupportsWhenTheNumberOfAtomsIsGiven) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        make(seed);
        for (const std::size_t nonzeros : {1, 3, 1000})
            for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp})
                expect_same({.max_nonzeros = nonzeros, .pursuit = pursuit});
    }
}

TEST_P(AgainstTheDefinition, SameSupportsWhenTheErrorIsGiven) {
    for (std::uint64_t seed = 100; seed < 108; ++seed) {
        make(seed);
        for (const double part : {1.1, 0.9, 0.5, 0.2})
            for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp})
                expect_same({.max_error = part * y_.norm(), .pursuit = pursuit});
    }
}

// With one atom of one entry both pursuits agree. Otherwise ORMP reduces the residual most in each single step, so its
// first two atoms never leave a larger residual than those of OMP.
TEST_P(AgainstTheDefinition, OrmpTakesTheBestSecondAtom) {
    for (std::uint64_t seed = 200; seed < 220; ++seed) {
        make(seed);
        const double omp = code(BatchOmp(rows_, {.max_nonzeros = 2}), y_, 0.0).residual2;
        const double ormp = code(BatchOmp(rows_, {.max_nonzeros = 2, .pursuit = Pursuit::ormp}), y_, 0.0).residual2;
        EXPECT_LE(ormp, omp + 1e-12 * y_.squaredNorm());
    }
}

TEST_P(AgainstTheDefinition, AllAtomsGiveTheLeastSquaresFit) {
    for (std::uint64_t seed = 300; seed < 305; ++seed) {
        make(seed);
        Vec unused;
        const double expected = fit(D_, y_, unused).norm();
        for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp}) {
            const OmpOptions options{.max_nonzeros = 1000000, .pursuit = pursuit};
            const OneCode found = code(BatchOmp(rows_, options), y_, 0.0, y_.data());
            EXPECT_LE(found.atoms.size(), static_cast<std::size_t>(std::min(D_.rows(), D_.cols())));
            EXPECT_NEAR(std::sqrt(found.residual2), expected, 1e-9 * y_.norm());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AgainstTheDefinition,
                         testing::Values(Case{1, 1}, Case{1, 4}, Case{5, 3}, Case{3, 5}, Case{10, 10}, Case{8, 40},
                                         Case{20, 50}, Case{24, 17}, Case{12, 100}),
                         [](const auto& each) {
                             return std::to_string(each.param.M) + "x" + std::to_string(each.param.N);
                         });

TEST(BatchOmp, NoAtomIsUsedWhenTheErrorIsMetAtTheStart) {
    const Matrix atoms = to_rows(Mat::Identity(3, 3));
    const BatchOmp omp(atoms, {});
    const Vec y = Vec::Constant(3, 2.0);
    EXPECT_TRUE(code(omp, y, 12.0).atoms.empty());
    EXPECT_EQ(code(omp, y, 12.0).residual2, 12.0);
    EXPECT_EQ(code(omp, y, 11.9).atoms.size(), 1U);
    EXPECT_TRUE(code(omp, Vec::Zero(3), 0.0).atoms.empty());
}

TEST(BatchOmp, ZeroDuplicateAndDependentAtomsAreNeverPicked) {
    Numbers numbers(5);
    Mat D = numbers.normals(6, 8);
    D.col(1).setZero();
    D.col(3) = -2.5 * D.col(2);
    D.col(5) = D.col(2) + D.col(4);
    D.col(6) = D.col(2) - 3.0 * D.col(4) + 1e-9 * D.col(6);
    const std::vector<Eigen::Index> sound{0, 2, 4, 7};
    for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp}) {
        const BatchOmp omp(to_rows(D), {.max_nonzeros = 8, .pursuit = pursuit});
        for (int trial = 0; trial < 20; ++trial) {
            const Vec y = numbers.normals(6, 1);
            const OneCode found = code(omp, y, 0.0, y.data());
            const Mat picked = D(Eigen::all, found.atoms);
            ASSERT_EQ(found.atoms.size(), 4U);  // 0, 7 and two that span 2 ... 6
            EXPECT_EQ(rank(picked), 4);
            Vec unused;
            EXPECT_NEAR(std::sqrt(found.residual2), fit(D(Eigen::all, sound), y, unused).norm(), 1e-7);
            for (const double value : found.values) EXPECT_TRUE(std::isfinite(value));
        }
    }
}

TEST(BatchOmp, ADictionaryOfZerosCodesNothing) {
    const BatchOmp omp(Matrix(4, 3), {.max_nonzeros = 2});
    const OneCode found = code(omp, Vec::Ones(3), 0.0);
    EXPECT_TRUE(found.atoms.empty());
    EXPECT_EQ(found.residual2, 3.0);
}

// A signal of two atoms and a part of 1e-9: the tracked residual is only rounding then, the full one is not.
TEST(BatchOmp, SmallResidualsKeepTheirDigitsWhenTheSignalIsGiven) {
    Numbers numbers(6);
    const Mat D = numbers.normals(20, 30);
    const Vec y = D.col(4) - 0.5 * D.col(11) + 1e-9 * numbers.normals(20, 1);
    Vec unused;
    const std::vector<Eigen::Index> pair{4, 11};
    const double left = fit(D(Eigen::all, pair), y, unused).norm();
    for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp}) {
        const BatchOmp omp(to_rows(D), {.pursuit = pursuit});
        const OneCode enough = code(omp, y, 1.01 * left * 1.01 * left, y.data());
        EXPECT_EQ(enough.atoms, pair);
        EXPECT_NEAR(std::sqrt(enough.residual2), left, 1e-5 * left);
        EXPECT_EQ(code(omp, y, 0.99 * left * 0.99 * left, y.data()).atoms.size(), 3U);
    }
}

TEST(BatchOmp, StopsWhenOnlyRoundingIsLeft) {
    Numbers numbers(7);
    const Mat D = numbers.normals(20, 30);
    const Vec y = 3.0 * D.col(4) - 2.0 * D.col(11);
    for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp})
        for (const double* signal : {y.data(), static_cast<const double*>(nullptr)}) {
            const OneCode found = code(BatchOmp(to_rows(D), {.max_nonzeros = 10, .pursuit = pursuit}), y, 0.0, signal);
            ASSERT_EQ(found.atoms, (std::vector<Eigen::Index>{4, 11}));
            EXPECT_NEAR(found.values[0], 3.0, 1e-13);
            EXPECT_NEAR(found.values[1], -2.0, 1e-13);
        }
}

// All supports of k of 8 atoms, as bits: with orthonormal atoms none of them is better than that of the pursuit.
TEST(BatchOmp, OrthonormalAtomsGiveTheBestApproximationOfAll) {
    Numbers numbers(8);
    const Mat D = orthogonal_factor(numbers.normals(8, 8));
    for (int trial = 0; trial < 5; ++trial) {
        const Vec y = numbers.normals(8, 1);
        const Vec energy = (D.transpose() * y).array().square();
        std::vector<double> best(9, y.squaredNorm());
        for (unsigned support = 0; support < 256; ++support) {
            double left = y.squaredNorm();
            std::size_t k = 0;
            for (unsigned n = 0; n < 8; ++n)
                if (((support >> n) & 1U) != 0) {
                    left -= energy[n];
                    ++k;
                }
            best[k] = std::min(best[k], left);
        }
        for (std::size_t k = 1; k <= 8; ++k)
            for (const Pursuit pursuit : {Pursuit::omp, Pursuit::ormp}) {
                const OneCode found = code(BatchOmp(to_rows(D), {.max_nonzeros = k, .pursuit = pursuit}), y, 0.0);
                EXPECT_EQ(found.atoms.size(), k);
                EXPECT_NEAR(found.residual2, best[k], 1e-12 * y.squaredNorm());
            }
    }
}

TEST(BatchOmp, TheScratchKeepsNothingFromEarlierSignals) {
    Numbers numbers(9);
    const BatchOmp omp(to_rows(numbers.normals(10, 40)), {.max_nonzeros = 6, .pursuit = Pursuit::ormp});
    const Mat Y = numbers.normals(10, 12);
    std::vector<double> correlations(omp.atoms() * 12);
    omp.correlate(Y.data(), 12, correlations.data());
    BatchOmp::Scratch used(omp);
    for (std::size_t i = 0; i < 12; ++i) {
        const auto here = std::span(correlations).subspan(i * omp.atoms(), omp.atoms());
        const double norm2 = Y.col(static_cast<Eigen::Index>(i)).squaredNorm();
        BatchOmp::Scratch fresh(omp);
        const double max_error2 = i % 3 == 0 ? 0.3 * norm2 : 0.0;
        const BatchOmp::Code first = omp.code(here, norm2, max_error2, fresh);
        const BatchOmp::Code again = omp.code(here, norm2, max_error2, used);
        EXPECT_TRUE(std::equal(first.atoms.begin(), first.atoms.end(), again.atoms.begin(), again.atoms.end()));
        EXPECT_TRUE(std::equal(first.values.begin(), first.values.end(), again.values.begin(), again.values.end()));
        EXPECT_EQ(first.residual2, again.residual2);
    }
}

TEST(BatchOmp, RejectsInvalidInput) {
    const auto make = [](const Matrix& atoms, const OmpOptions& options) { const BatchOmp omp(atoms, options); };
    expect_error<InputError>([&] { make(Matrix(0, 3), {}); }, {"dictionary", "empty", "0 x 3"});
    expect_error<InputError>([&] { make(Matrix(3, 0), {}); }, {"dictionary", "empty", "3 x 0"});
    Matrix atoms(3, 2, 1.0);
    for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        expect_error<InputError>([&] { make(atoms, {.max_error = wrong}); }, {"max_error", "at least 0"});
    atoms(2, 1) = std::nan("");
    expect_error<InputError>([&] { make(atoms, {}); }, {"atom 2", "entry 1", "nan"});
    atoms(2, 0) = atoms(2, 1) = 1.7e308;
    expect_error<InputError>([&] { make(atoms, {}); }, {"norm of atom 2", "out of range"});
}

}  // namespace
}  // namespace sbdl::test
