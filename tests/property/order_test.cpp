// The order of the signals and the numbering of the atoms do not matter: a VB pass over them differs only by rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

Eigen::PermutationMatrix<Eigen::Dynamic> shuffled(Eigen::Index n, std::uint64_t seed) {
    Numbers numbers(seed);
    Eigen::PermutationMatrix<Eigen::Dynamic> order(n);
    order.setIdentity();
    for (Eigen::Index i = n - 1; i > 0; --i) {
        const auto j = static_cast<Eigen::Index>(numbers.uniform() * static_cast<double>(i + 1));
        std::swap(order.indices()[i], order.indices()[j]);
    }
    return order;
}

class Order : public ::testing::TestWithParam<bool> {
protected:
    BlockResult pass(const BlockProblem& problem, const Vec& atom_var, const Mat& row_cov) const {
        const auto kernel = cpu_kernels().vb();
        kernel->begin_sweep({.dictionary = &problem.D,
                             .atom_var = GetParam() ? &atom_var : nullptr,
                             .row_cov = GetParam() ? nullptr : &row_cov,
                             .noise_precision = problem.gamma,
                             .code_prior = problem.code_prior});
        return run_blocks(*kernel, problem);
    }

    static void expect_same_scalars(const SufficientStats& got, const SufficientStats& want) {
        EXPECT_LE(relative_error(got.residual_sq, want.residual_sq), 1e-11);
        EXPECT_LE(relative_error(got.objective.log_det_cov, want.objective.log_det_cov), 1e-11);
        EXPECT_LE(relative_error(got.objective.log_code_rate, want.objective.log_code_rate), 1e-11);
    }

    const BlockProblem problem_ = random_problem({6, 9, 300}, 141);
    const Vec atom_var_ = Numbers(142).spread(9, 1, -3.0, -1.0);
    const Mat row_cov_ = 0.01 * Numbers(143).covariance(9);
};

TEST_P(Order, OfSignalsChangesOnlyRounding) {
    const BlockResult want = pass(problem_, atom_var_, row_cov_);
    const auto order = shuffled(300, 144);
    BlockProblem other = problem_;
    other.Y = problem_.Y * order;
    other.code_var = problem_.code_var * order;
    const BlockResult got = pass(other, atom_var_, row_cov_);
    ASSERT_NE(other.Y, problem_.Y);
    EXPECT_LE(relative_error(got.stats.y_xt, want.stats.y_xt), 1e-12);
    EXPECT_LE(relative_error(got.stats.x_xt, want.stats.x_xt), 1e-12);
    expect_same_scalars(got.stats, want.stats);
    EXPECT_LE(relative_error(got.code_var, want.code_var * order), 1e-12);
}

TEST_P(Order, OfAtomsChangesOnlyTheirNumbers) {
    const BlockResult want = pass(problem_, atom_var_, row_cov_);
    const auto order = shuffled(9, 145);
    BlockProblem other = problem_;
    other.D = problem_.D * order;
    other.code_var = order.transpose() * problem_.code_var;
    const BlockResult got = pass(other, order.transpose() * atom_var_, order.transpose() * row_cov_ * order);
    EXPECT_LE(relative_error(got.stats.y_xt, want.stats.y_xt * order), 1e-10);
    EXPECT_LE(relative_error(got.stats.x_xt, order.transpose() * want.stats.x_xt * order), 1e-10);
    expect_same_scalars(got.stats, want.stats);
}

INSTANTIATE_TEST_SUITE_P(Moments, Order, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "independent_atoms" : "shared_row_covariance"; });

}  // namespace
}  // namespace sbdl::test
