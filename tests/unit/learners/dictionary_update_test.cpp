// The dictionary's conditionals (G4) and q-updates (V4), one atom at a time and whole, against formulas in terms of the
// signals and codes themselves instead of the statistics that the tested code is given.
#include "learners/dictionary_update.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

constexpr double gamma_ = 3.0;
constexpr double beta = 0.7;

struct Coded {
    Mat Y, X, D;
    Mat code_cov;  // the sum of the codes' covariances, which Gibbs does not have
    SufficientStats stats;
};

Coded coded(Eigen::Index M, Eigen::Index N, Eigen::Index L, bool with_covariance) {
    Numbers numbers(51);
    Coded c{numbers.normals(M, L), numbers.normals(N, L), numbers.normals(M, N), Mat::Zero(N, N), {M, N}};
    if (with_covariance) c.code_cov = numbers.covariance(N);
    c.stats.y_xt = c.Y * c.X.transpose();
    c.stats.x_xt = c.X * c.X.transpose() + c.code_cov;
    return c;
}

DrawStream dictionary_draws() {
    return {77, {Purpose::dictionary, 5, 1, 0}};
}

TEST(DictionaryDraw, AtomsInTurnFollowTheirConditionals) {
    for (const auto& [M, N, L] : {Shape{2, 3, 4}, Shape{4, 2, 3}, Shape{1, 1, 1}}) {
        const Coded c = coded(M, N, L, false);
        Mat got = c.D;
        DrawStream draws = dictionary_draws();
        draw_atoms_in_turn(c.stats, gamma_, beta, draws, got);

        Mat D = c.D;
        DrawStream normals = dictionary_draws();
        for (Eigen::Index n = 0; n < N; ++n) {
            Mat rest = c.Y;  // Y^{-n}: the signals minus the contributions of the other atoms
            for (Eigen::Index k = 0; k < N; ++k)
                if (k != n) rest -= D.col(k) * c.X.row(k);
            const double variance = 1.0 / (gamma_ * c.X.row(n).squaredNorm() + 1.0 / beta);
            const Vec mean = gamma_ * variance * rest * c.X.row(n).transpose();
            for (Eigen::Index m = 0; m < M; ++m) D(m, n) = mean[m] + std::sqrt(variance) * normals.normal();
        }
        EXPECT_LE(relative_error(got, D), 1e-12);
    }
}

TEST(DictionaryDraw, WholeHasThePosteriorMeanAndCovarianceOfItsRows) {
    const auto [M, N, L] = Shape{2, 3, 4};
    const Coded c = coded(M, N, L, false);
    const Mat A = inverse(gamma_ * c.X * c.X.transpose() + Mat::Identity(N, N) / beta);
    const Mat mean = gamma_ * c.Y * c.X.transpose() * A;

    // Exactly: the noise is linear in the normals, so unit normals one by one show its covariance. The draw with the
    // generator's normals must be mean + E^T L^{-1} for the factor A^{-1} = L L^T.
    Mat got = c.D;
    DrawStream draws = dictionary_draws();
    draw_dictionary(c.stats, gamma_, beta, draws, got);
    DrawStream normals = dictionary_draws();
    Mat E(N, M);
    for (Eigen::Index m = 0; m < M; ++m)
        for (Eigen::Index n = 0; n < N; ++n) E(n, m) = normals.normal();
    const Mat lower = inverse(A).llt().matrixL();
    EXPECT_LE(relative_error(got, mean + (inverse(lower.transpose()) * E).transpose()), 1e-11);

    // And over many draws: rows independent, each with covariance A. 5 standard deviations, about 30 comparisons.
    constexpr int many = 20000;
    Mat sum = Mat::Zero(M, N), second = Mat::Zero(M * N, M * N);
    for (int i = 0; i < many; ++i) {
        DrawStream each(78, {Purpose::dictionary, static_cast<std::uint32_t>(i), 0, 0});
        draw_dictionary(c.stats, gamma_, beta, each, got);
        const Mat off = (got - mean).transpose();  // N x M: one row of D after another
        const Eigen::Map<const Vec> flat(off.data(), M * N);
        sum += got - mean;
        second += flat * flat.transpose();
    }
    const double root = std::sqrt(static_cast<double>(many));
    for (Eigen::Index i = 0; i < M * N; ++i) {
        EXPECT_NEAR(sum(i / N, i % N) / many, 0.0, 5.0 * std::sqrt(A(i % N, i % N)) / root);
        for (Eigen::Index j = 0; j <= i; ++j) {
            const double want = i / N == j / N ? A(i % N, j % N) : 0.0;
            const double sd = std::sqrt(A(i % N, i % N) * A(j % N, j % N) + want * want) / root;
            EXPECT_NEAR(second(i, j) / many, want, 5.0 * sd);
        }
    }
}

TEST(DictionaryPosterior, AtomsInTurnUseTheFullSecondMomentsOfTheCodes) {
    for (const auto& [M, N, L] : {Shape{2, 3, 4}, Shape{4, 2, 3}, Shape{1, 1, 1}}) {
        const Coded c = coded(M, N, L, true);
        DictionaryPosterior q{c.D, Vec::Constant(N, 0.3), {}};
        update_atoms_in_turn(c.stats, gamma_, beta, q);

        Mat mean = c.D;
        for (Eigen::Index n = 0; n < N; ++n) {
            // <x_k x_n^T> of rows k and n: products of means plus the covariance
            const auto moment = [&](Eigen::Index k) { return c.X.row(k).dot(c.X.row(n)) + c.code_cov(k, n); };
            Vec right = c.Y * c.X.row(n).transpose();
            for (Eigen::Index k = 0; k < N; ++k)
                if (k != n) right -= mean.col(k) * moment(k);
            const double variance = 1.0 / (gamma_ * moment(n) + 1.0 / beta);
            mean.col(n) = gamma_ * variance * right;
            EXPECT_LE(relative_error(q.atom_var[n], variance), 1e-13);
        }
        EXPECT_LE(relative_error(q.mean, mean), 1e-12);
    }
}

TEST(DictionaryPosterior, WholeIsTheRegressionOfTheSignalsOnTheCodes) {
    for (const auto& [M, N, L] : {Shape{2, 3, 4}, Shape{4, 2, 3}, Shape{1, 1, 1}}) {
        const Coded c = coded(M, N, L, true);
        DictionaryPosterior q{c.D, {}, Mat::Identity(N, N)};
        update_dictionary(c.stats, gamma_, beta, q);
        const Mat A = inverse(gamma_ * (c.X * c.X.transpose() + c.code_cov) + Mat::Identity(N, N) / beta);
        EXPECT_LE(relative_error(q.row_cov, A), 1e-11);
        EXPECT_LE(relative_error(q.mean, gamma_ * c.Y * c.X.transpose() * A), 1e-11);
    }
}

TEST(DictionaryPosterior, EntropyAndExpectedNormAreThoseOfTheWholeGaussian) {
    const Eigen::Index M = 3, N = 4;
    Numbers numbers(52);
    const Mat mean = numbers.normals(M, N);
    const auto expect_moments = [&](const DictionaryPosterior& q, const Mat& row_cov) {
        // The covariance of all M N entries: one block per row.
        Mat whole = Mat::Zero(M * N, M * N);
        for (Eigen::Index m = 0; m < M; ++m) whole.block(m * N, m * N, N, N) = row_cov;
        const double two_pi_e = 2.0 * std::numbers::pi * std::numbers::e;
        EXPECT_NEAR(q.entropy(), 0.5 * std::log(determinant(two_pi_e * whole)), 1e-10);
        EXPECT_NEAR(q.expected_norm_sq(), mean.squaredNorm() + whole.trace(), 1e-12);
        for (Eigen::Index n = 0; n < N; ++n) EXPECT_EQ(q.entry_var(n), row_cov(n, n));
    };
    const Mat A = numbers.covariance(N);
    expect_moments({mean, {}, A}, A);
    const Vec s = numbers.spread(N, 1, -3.0, 0.0);
    expect_moments({mean, s, {}}, s.asDiagonal());
}

// Atoms that are never used, or exact copies of each other, leave a singular X X^T: the prior must carry the update.
TEST(DictionaryPosterior, SingularSecondMomentsAreCarriedByThePrior) {
    Coded c = coded(3, 4, 6, false);
    c.X.row(1) = c.X.row(0);
    c.X.row(2).setZero();
    c.stats.y_xt = c.Y * c.X.transpose();
    c.stats.x_xt = c.X * c.X.transpose();
    for (const double precision : {1.0, 1e8, 1e14}) {
        DictionaryPosterior q{c.D, {}, Mat::Identity(4, 4)};
        update_dictionary(c.stats, precision, 1e8, q);
        EXPECT_TRUE(q.mean.allFinite() && q.row_cov.allFinite());
        EXPECT_TRUE(std::isfinite(q.entropy()));
        Mat D = c.D;
        DrawStream draws = dictionary_draws();
        draw_dictionary(c.stats, precision, 1e8, draws, D);
        EXPECT_TRUE(D.allFinite());
    }
}

}  // namespace
}  // namespace sbdl::test
