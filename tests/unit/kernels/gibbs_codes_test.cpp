// Codes and their precisions as SBDL-Gibbs draws them (G1, G2), in every kernel set, against the paper's formulas
// computed with plain inverses:
//
//     x | -  ~ N(mu, Sigma),  Sigma = (gamma D^T D + Lambda)^{-1},  mu = gamma Sigma D^T y
//     alpha_n | -  ~ Gamma(a + 1/2, b + x_n^2/2)
//
// once exactly, with the same normals taken from the generator, and once in mean and covariance over many draws.
// Statistical bounds are at 5 standard deviations; with about 60 comparisons a correct sampler fails for fewer than one
// seed in 20,000, and the seeds are fixed.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

class GibbsCodes : public ::testing::TestWithParam<std::string> {
protected:
    static BlockResult run(const BlockProblem& problem, std::uint32_t sweep = 0) {
        const auto kernel = kernel_set(GetParam()).gibbs();
        kernel->begin_sweep({.dictionary = &problem.D,
                             .noise_precision = problem.gamma,
                             .code_prior = problem.code_prior,
                             .seed = seed,
                             .sweep = sweep,
                             .chain = chain});
        return run_blocks(*kernel, problem);
    }
    static constexpr std::uint64_t seed = 99;
    static constexpr std::uint32_t chain = 2;
};

TEST_P(GibbsCodes, AreMeanPlusNoiseOfTheRightCovariance) {
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{3, 2, 4}, Shape{3, 3, 2}, Shape{1, 1, 1}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        const BlockProblem problem = random_problem(shape, 31);
        const BlockResult got = run(problem, 7);
        for (Eigen::Index l = 0; l < shape.L; ++l) {
            const Mat alpha = problem.code_var.col(l).cwiseInverse().asDiagonal();
            const Mat Sigma = inverse(problem.gamma * problem.D.transpose() * problem.D + alpha);
            const Vec mu = problem.gamma * Sigma * problem.D.transpose() * problem.Y.col(l);
            DrawStream stream(seed, {Purpose::code, 7, chain, static_cast<std::uint64_t>(l)});
            Vec n(shape.N), e(shape.M);
            for (double& value : n) value = stream.normal();
            for (double& value : e) value = stream.normal();
            // The added noise has covariance Sigma: T T^T = Sigma (Lambda + gamma D^T D) Sigma.
            Mat T(shape.N, shape.N + shape.M);
            T << Sigma * alpha.cwiseSqrt(), -std::sqrt(problem.gamma) * Sigma * problem.D.transpose();
            EXPECT_LE(relative_error(T * T.transpose(), Sigma), 1e-11);
            Vec both(shape.N + shape.M);
            both << n, e;
            EXPECT_LE(relative_error(got.codes.col(l), mu + T * both), 1e-11);
        }
    }
}

TEST_P(GibbsCodes, PrecisionsAreGammaDrawsOfTheRightRate) {
    for (const double a : {0.5, 1.7}) {
        BlockProblem problem = random_problem({3, 4, 5}, 32);
        problem.code_prior = {a, 0.25};
        const BlockResult got = run(problem);
        for (Eigen::Index l = 0; l < 5; ++l)
            for (Eigen::Index n = 0; n < 4; ++n) {
                const double x = got.codes(n, l);
                const double rate_one = (0.25 + 0.5 * x * x) / got.code_var(n, l);  // alpha (b + x^2/2)
                EXPECT_GT(rate_one, 0.0);
                const DrawId id{Purpose::code_precision, 0, chain, static_cast<std::uint64_t>(l)};
                if (a == 0.5) {
                    DrawStream stream(seed, id, static_cast<std::uint32_t>(n / 2));
                    double exponential = stream.exponential();
                    if (n % 2 == 1) exponential = stream.exponential();
                    EXPECT_LE(relative_error(rate_one, exponential), 1e-13);
                } else {
                    DrawStream stream(seed, id, static_cast<std::uint32_t>(256 * n));
                    EXPECT_LE(relative_error(rate_one, stream.gamma(a + 0.5)), 1e-13);
                }
            }
    }
}

// The same signal and variances many times, so that every column is an independent draw from one posterior.
TEST_P(GibbsCodes, HaveThePosteriorMeanAndCovarianceOverManyDraws) {
    constexpr Eigen::Index draws = 30000;
    for (const auto& [M, N] : {std::pair<Eigen::Index, Eigen::Index>{2, 3}, {3, 2}})
        for (const double a : {0.5, 3.0}) {
            const BlockProblem one = random_problem({M, N, 1}, 33);
            BlockProblem problem = one;
            problem.Y = one.Y.replicate(1, draws);
            problem.code_var = one.code_var.replicate(1, draws);
            problem.code_prior = {a, 0.25};
            const BlockResult got = run(problem);

            const Mat alpha = one.code_var.col(0).cwiseInverse().asDiagonal();
            const Mat Sigma = inverse(one.gamma * one.D.transpose() * one.D + alpha);
            const Vec mu = one.gamma * Sigma * one.D.transpose() * one.Y.col(0);
            const Vec mean = got.codes.rowwise().mean();
            const Mat off = got.codes.colwise() - mu;
            const Mat cov = off * off.transpose() / static_cast<double>(draws);
            const double root = std::sqrt(static_cast<double>(draws));
            for (Eigen::Index i = 0; i < N; ++i) {
                EXPECT_NEAR(mean[i], mu[i], 5.0 * std::sqrt(Sigma(i, i)) / root);
                for (Eigen::Index j = 0; j <= i; ++j) {
                    const double sd = std::sqrt(Sigma(i, i) * Sigma(j, j) + Sigma(i, j) * Sigma(i, j)) / root;
                    EXPECT_NEAR(cov(i, j), Sigma(i, j), 5.0 * sd);
                }
                // alpha (b + x^2/2) is Gamma(a + 1/2, 1) whatever x is, and independent of it.
                const Eigen::ArrayXd draw =
                    ((0.25 + 0.5 * got.codes.row(i).array().square()) / got.code_var.row(i).array()).transpose();
                const double shape = a + 0.5;
                EXPECT_NEAR(draw.mean(), shape, 5.0 * std::sqrt(shape) / root);
                EXPECT_NEAR((draw - shape).square().mean(), shape,
                            5.0 * std::sqrt(2.0 * shape * shape + 6.0 * shape) / root);
                const Eigen::ArrayXd x = (got.codes.row(i).transpose().array() - mu[i]) / std::sqrt(Sigma(i, i));
                EXPECT_NEAR((x * (draw - shape)).mean(), 0.0, 5.0 * std::sqrt(shape) / root);
                EXPECT_NEAR(((x.square() - 1.0) * (draw - shape)).mean(), 0.0, 5.0 * std::sqrt(2.0 * shape) / root);
            }
        }
}

TEST_P(GibbsCodes, StatisticsAreThoseOfTheDrawnCodes) {
    const BlockProblem problem = random_problem({3, 5, 6}, 34);
    const BlockResult got = run(problem);
    Mat y_xt = Mat::Zero(3, 5), x_xt = Mat::Zero(5, 5);
    double residual = 0.0, log_alpha = 0.0, penalty = 0.0;
    for (Eigen::Index l = 0; l < 6; ++l) {
        const Vec x = got.codes.col(l);
        y_xt += problem.Y.col(l) * x.transpose();
        x_xt += x * x.transpose();
        residual += (problem.Y.col(l) - problem.D * x).squaredNorm();
        for (Eigen::Index n = 0; n < 5; ++n) {
            const double alpha = 1.0 / got.code_var(n, l);
            log_alpha += std::log(alpha);
            penalty += alpha * (problem.code_prior.rate + 0.5 * x[n] * x[n]);
        }
    }
    EXPECT_LE(relative_error(got.stats.y_xt, y_xt), 1e-13);
    EXPECT_LE(relative_error(got.stats.x_xt, x_xt), 1e-13);
    EXPECT_LE(relative_error(got.stats.residual_sq, residual), 1e-11);
    EXPECT_LE(relative_error(got.stats.objective.log_code_precision, log_alpha), 1e-12);
    EXPECT_LE(relative_error(got.stats.objective.code_penalty, penalty), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Kernels, GibbsCodes, ::testing::ValuesIn(kernel_set_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace sbdl::test
