// The VB kernel of the "cpu" set, on every instruction set of this machine, against `reference`, with independent
// atoms and with rows that share a covariance.
#include <gtest/gtest.h>

#include "conformance/kernel_cases.hpp"

namespace sbdl::test {
namespace {

enum class Moments { independent, shared };

class VbKernelConformance : public ::testing::TestWithParam<std::int64_t> {
protected:
    // The dictionary's covariance, which together with its mean gives <D^T D>.
    struct Spread {
        Vec atom_var;
        Mat row_cov;
        Mat beyond_mean;  // <D^T D> - <D>^T <D>
    };

    static Spread spread_of(const BlockProblem& problem, Moments moments) {
        Numbers numbers(77);
        const auto M = static_cast<double>(problem.D.rows());
        Spread spread;
        if (moments == Moments::independent) {
            spread.atom_var = numbers.spread(problem.D.cols(), 1, -4.0, -1.0);
            spread.beyond_mean = M * Mat(spread.atom_var.asDiagonal());
        } else {
            spread.row_cov = 0.01 * numbers.covariance(problem.D.cols());
            spread.beyond_mean = M * spread.row_cov;
        }
        return spread;
    }

    static BlockResult run(const KernelSet& kernels, const BlockProblem& problem, const Spread& spread) {
        const auto kernel = kernels.vb();
        kernel->begin_sweep({.dictionary = &problem.D,
                             .atom_var = spread.atom_var.size() > 0 ? &spread.atom_var : nullptr,
                             .row_cov = spread.row_cov.size() > 0 ? &spread.row_cov : nullptr,
                             .noise_precision = problem.gamma,
                             .code_prior = problem.code_prior});
        return run_blocks(*kernel, problem);
    }

    static void expect_agrees(const BlockProblem& problem, Moments moments) {
        const Spread spread = spread_of(problem, moments);
        const BlockResult want = run(reference_kernels(), problem, spread);
        const BlockResult got = run(cpu_kernels(), problem, spread);
        const Eigen::Index M = problem.D.rows(), N = problem.D.cols(), L = problem.Y.cols();
        EXPECT_LE(worst_code_error(problem, spread.beyond_mean, got.codes, want.codes), 1.0);

        // Variances are differences: Sigma_nn = t - ..., where t <= the prior's variance. Rounding is measured relative
        // to t, and to Sigma_nn itself times the condition of its system.
        double condition = 1.0, var_allowed = 0.0;
        for (Eigen::Index l = 0; l < L; ++l) {
            const double here = condition_bound(problem, l);
            condition = std::max(condition, here);
            for (Eigen::Index n = 0; n < N; ++n) {
                const double allowed = rounding_bound(M + N) * (here * want.codes_var(n, l) + problem.code_var(n, l));
                EXPECT_NEAR(got.codes_var(n, l), want.codes_var(n, l), allowed);
                var_allowed = std::max(var_allowed, allowed);
                // q(alpha) from the kernel's own moments.
                const double second = got.codes(n, l) * got.codes(n, l) + got.codes_var(n, l);
                const double rate = problem.code_prior.rate + 0.5 * second;
                EXPECT_LE(relative_error(got.code_var(n, l), rate / (problem.code_prior.shape + 0.5)), 8 * epsilon);
            }
        }
        const double bound = rounding_bound(M + N + L, condition);
        EXPECT_LE(relative_error(got.stats.y_xt, problem.Y * got.codes.transpose()), rounding_bound(L));
        const double x_xt_allowed =
            static_cast<double>(L) * var_allowed + bound * want.stats.x_xt.cwiseAbs().maxCoeff();
        EXPECT_LE((got.stats.x_xt - want.stats.x_xt).cwiseAbs().maxCoeff(), x_xt_allowed);
        EXPECT_NEAR(got.stats.residual_sq, want.stats.residual_sq, bound * problem.Y.squaredNorm());
        EXPECT_NEAR(got.stats.objective.log_det_cov, want.stats.objective.log_det_cov,
                    bound * static_cast<double>(N * L));
        const double log_rate = (got.code_var.array() * (problem.code_prior.shape + 0.5)).log().sum();
        EXPECT_NEAR(got.stats.objective.log_code_rate, log_rate, rounding_bound(N * L) * static_cast<double>(N * L));
        EXPECT_LE(relative_error(got.density, want.density), bound);
    }

    static void expect_agrees(const BlockProblem& problem) {
        for (const Moments moments : {Moments::independent, Moments::shared}) {
            SCOPED_TRACE(moments == Moments::independent ? "independent atoms" : "shared row covariance");
            expect_agrees(problem, moments);
        }
    }
};

TEST_P(VbKernelConformance, AgreesWithReferenceAtAwkwardShapes) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : awkward_shapes()) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(random_problem(shape, 21));
    }
}

TEST_P(VbKernelConformance, AgreesWithReferenceForOtherPriorShapes) {
    const HighwayTarget target(GetParam());
    for (const double a : {1e-3, 1.0, 3.0}) {
        SCOPED_TRACE(a);
        BlockProblem problem = random_problem({3, 7, 5}, 22);
        problem.code_prior = {a, 0.7};
        expect_agrees(problem);
    }
}

TEST_P(VbKernelConformance, AgreesWithReferenceOnVariancesOfManyOrders) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{1, 1, 9}, Shape{5, 12, 40}, Shape{12, 5, 40}, Shape{6, 6, 40}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(random_problem(shape, 23, -12.0, 6.0));
    }
}

TEST_P(VbKernelConformance, HeavyTailsStayFinite) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{5, 12, 130}, Shape{12, 5, 130}, Shape{1, 1, 4}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        BlockProblem problem = random_problem(shape, 24, -15.0, 15.0);
        problem.Y = Numbers(25).normals(shape.M, shape.L);
        for (const double gamma : {1e-6, 1.0, 1e8})
            for (const Moments moments : {Moments::independent, Moments::shared}) {
                problem.gamma = gamma;
                const BlockResult got = run(cpu_kernels(), problem, spread_of(problem, moments));
                EXPECT_TRUE(got.codes.allFinite());
                EXPECT_TRUE(got.codes_var.allFinite() && (got.codes_var.array() >= 0.0).all());
                EXPECT_TRUE(got.code_var.allFinite() && (got.code_var.array() > 0.0).all());
                EXPECT_TRUE(got.stats.x_xt.allFinite() && got.stats.y_xt.allFinite());
                EXPECT_TRUE(std::isfinite(got.stats.residual_sq) && got.stats.residual_sq >= 0.0);
                EXPECT_TRUE(std::isfinite(got.stats.objective.log_det_cov));
                EXPECT_TRUE(std::isfinite(got.stats.objective.log_code_rate));
            }
    }
}

TEST_P(VbKernelConformance, AgreesWithReferenceAtTheImageShape) {
    const HighwayTarget target(GetParam());
    expect_agrees(random_problem({64, 256, 130}, 26), Moments::independent);
}

// Sizes around the change from vectors of signals to one signal at a time, which depends on the width of a vector, and
// larger ones.
TEST_P(VbKernelConformance, AgreesWithReferenceForManyAtoms) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{20, 133, 9}, Shape{8, 261, 5}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(random_problem(shape, 27));
    }
    expect_agrees(random_problem({6, 258, 3}, 28, -12.0, 6.0), Moments::shared);
}

INSTANTIATE_TEST_SUITE_P(Targets, VbKernelConformance, ::testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace sbdl::test
