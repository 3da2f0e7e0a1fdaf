// q(x) and q(alpha) of SBDL-VB (V1 to V3), in every kernel set, against the paper's formulas computed with plain
// inverses. The expected statistics are checked by their definition: with D = <D> + noise of its covariance and
// x = mu + noise of Sigma, every moment of the residual is written out entry by entry.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

class VbCodes : public ::testing::TestWithParam<std::string> {
protected:
    // row_cov: the N x N covariance of a row of D, diagonal for independent atoms.
    static void expect_posterior(const BlockProblem& problem, const Mat& row_cov, bool independent) {
        const Vec atom_var = row_cov.diagonal();
        const auto kernel = kernel_set(GetParam()).vb();
        kernel->begin_sweep({.dictionary = &problem.D,
                             .atom_var = independent ? &atom_var : nullptr,
                             .row_cov = independent ? nullptr : &row_cov,
                             .noise_precision = problem.gamma,
                             .code_prior = problem.code_prior});
        const BlockResult got = run_blocks(*kernel, problem);

        const Eigen::Index M = problem.D.rows(), N = problem.D.cols(), L = problem.Y.cols();
        const auto [a, b] = problem.code_prior;
        Mat DtD = Mat::Zero(N, N);  // <D^T D>, a sum over rows of <d_m d_m^T>
        for (Eigen::Index m = 0; m < M; ++m) DtD += problem.D.row(m).transpose() * problem.D.row(m) + row_cov;
        Mat y_xt = Mat::Zero(M, N), x_xt = Mat::Zero(N, N);
        double residual = 0.0, log_det = 0.0, log_rate = 0.0;
        for (Eigen::Index l = 0; l < L; ++l) {
            const Mat alpha = problem.code_var.col(l).cwiseInverse().asDiagonal();
            const Mat Sigma = inverse(problem.gamma * DtD + alpha);
            const Vec y = problem.Y.col(l);
            const Vec mu = problem.gamma * Sigma * problem.D.transpose() * y;
            const Mat second = mu * mu.transpose() + Sigma;  // <x x^T>
            EXPECT_LE(relative_error(got.codes.col(l), mu), 1e-10);
            EXPECT_LE(relative_error(got.codes_var.col(l), Sigma.diagonal()), 1e-10);
            y_xt += y * mu.transpose();
            x_xt += second;
            // <|y - D x|^2> = sum_m <(y_m - d_m^T x)^2> = sum_m y_m^2 - 2 y_m <d_m>^T mu + tr(<d_m d_m^T> <x x^T>)
            for (Eigen::Index m = 0; m < M; ++m) {
                const Vec d = problem.D.row(m).transpose();
                residual += y[m] * y[m] - 2.0 * y[m] * d.dot(mu) + ((d * d.transpose() + row_cov) * second).trace();
            }
            log_det += std::log(determinant(Sigma));
            for (Eigen::Index n = 0; n < N; ++n) {
                const double rate = b + 0.5 * second(n, n);
                log_rate += std::log(rate);
                EXPECT_LE(relative_error(got.code_var(n, l), rate / (a + 0.5)), 1e-10);  // 1/<alpha>
            }
        }
        EXPECT_LE(relative_error(got.stats.y_xt, y_xt), 1e-10);
        EXPECT_LE(relative_error(got.stats.x_xt, x_xt), 1e-10);
        EXPECT_LE(relative_error(got.stats.residual_sq, residual), 1e-10);
        EXPECT_NEAR(got.stats.objective.log_det_cov, log_det, 1e-9);
        EXPECT_NEAR(got.stats.objective.log_code_rate, log_rate, 1e-9);
    }
};

TEST_P(VbCodes, IndependentAtoms) {
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{3, 2, 4}, Shape{3, 3, 2}, Shape{1, 1, 1}, Shape{2, 6, 9}})
        for (const double a : {0.5, 2.0}) {
            SCOPED_TRACE(::testing::Message() << shape << " a = " << a);
            BlockProblem problem = random_problem(shape, 41);
            problem.code_prior = {a, 0.01};
            const Vec s = Numbers(42).spread(shape.N, 1, -3.0, 0.0);
            expect_posterior(problem, s.asDiagonal(), true);
        }
}

TEST_P(VbCodes, RowsThatShareACovariance) {
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{3, 2, 4}, Shape{3, 3, 2}, Shape{1, 1, 1}, Shape{2, 6, 9}})
        for (const double a : {0.5, 2.0}) {
            SCOPED_TRACE(::testing::Message() << shape << " a = " << a);
            BlockProblem problem = random_problem(shape, 43);
            problem.code_prior = {a, 0.01};
            expect_posterior(problem, 0.1 * Numbers(44).covariance(shape.N), false);
        }
}

INSTANTIATE_TEST_SUITE_P(Kernels, VbCodes, ::testing::ValuesIn(kernel_set_names()),
                         [](const auto& each) { return each.param; });

TEST(KernelSets, AnUnknownNameIsRejectedWithAListOfTheNames) {
    try {
        kernel_set("gpu");
        FAIL() << "nothing was thrown";
    } catch (const std::exception& error) {
        const std::string message = error.what();
        for (const char* word : {"gpu", "cpu", "reference"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace sbdl::test
