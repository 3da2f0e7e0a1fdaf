// The test cases of every kernel: shapes with partly filled tiles, lanes and blocks, and how ill-conditioned the
// systems of the codes are.
#pragma once

#include <algorithm>
#include <vector>

#include "support/highway_target.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {

inline const std::vector<Shape>& awkward_shapes() {
    static const std::vector<Shape> shapes = {
        {1, 1, 1},   {1, 2, 3},   {2, 1, 5},     // the smallest
        {7, 3, 5},   {12, 8, 33}, {9, 5, 129},   // M > N
        {4, 4, 16},  {5, 5, 7},                  // M = N
        {3, 7, 5},   {4, 8, 32},  {6, 13, 31},   // M < N; lanes not full, or just full
        {10, 30, 4}, {8, 9, 8},   {5, 11, 130},  // L < N; the last two signals are a block of their own
    };
    return shapes;
}

/// A bound on the condition of the systems of signal l, whichever form a kernel solves, from cheap quantities:
///     S = I + g D V D^T                has eigenvalues between 1 and 1 + g sum_n v_n |d_n|^2
///     Q = g D^T D + V^{-1}, scaled to a unit diagonal, between min_n 1 / (1 + g v_n |d_n|^2) and N.
/// Cholesky solves are as accurate as the scaled matrix allows, so both have an error of about epsilon times this.
inline double condition_bound(const BlockProblem& problem, Eigen::Index l) {
    const Vec norm_sq = problem.D.colwise().squaredNorm().transpose();
    return static_cast<double>(problem.D.cols()) * (1.0 + problem.gamma * problem.code_var.col(l).dot(norm_sq));
}

/// The largest distance of a code of `got` from that of `want`, in posterior standard deviations (|dx|_Q with
/// Q the posterior precision) relative to the code's own length in them, divided by the expected rounding.
inline double worst_code_error(const BlockProblem& problem, const Mat& spread, const Mat& got, const Mat& want) {
    const Eigen::Index N = problem.D.cols();
    const Mat gram = problem.gamma * (problem.D.transpose() * problem.D + spread);
    double worst = 0.0;
    for (Eigen::Index l = 0; l < got.cols(); ++l) {
        const Vec alpha = problem.code_var.col(l).cwiseInverse();
        const auto length = [&](const Vec& x) { return std::sqrt(x.dot(gram * x) + x.dot(alpha.cwiseProduct(x))); };
        const double size = length(want.col(l)) + std::sqrt(static_cast<double>(N));
        const double error = length(got.col(l) - want.col(l)) / size;
        const double allowed = rounding_bound(problem.D.rows() + N, condition_bound(problem, l));
        worst = std::max(worst, std::isfinite(error) ? error / allowed : std::numeric_limits<double>::infinity());
    }
    return worst;
}

}  // namespace sbdl::test
