// The Gibbs kernel of the "cpu" set, on every instruction set of this machine, against `reference`: the same draws from
// the same normals, up to rounding.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "conformance/kernel_cases.hpp"
#include "support/gaps.hpp"

namespace sbdl::test {
namespace {

class GibbsKernelConformance : public ::testing::TestWithParam<std::int64_t> {
protected:
    static BlockResult run(GibbsKernel& kernel, const BlockProblem& problem, bool same_dictionary = false) {
        kernel.begin_sweep({.dictionary = &problem.D,
                            .noise_precision = problem.gamma,
                            .code_prior = problem.code_prior,
                            .seed = 0x123456789abcdefu,
                            .sweep = 70001,
                            .chain = 3,
                            .same_dictionary = same_dictionary});
        return run_blocks(kernel, problem);
    }
    static BlockResult run(const KernelSet& kernels, const BlockProblem& problem) {
        return run(*kernels.gibbs(), problem);
    }

    // Codes against the reference; quantities that follow from codes against the plain formula for these codes.
    static void expect_agrees(const BlockProblem& problem) {
        const BlockResult want = run(reference_kernels(), problem);
        const BlockResult got = run(cpu_kernels(), problem);
        const Eigen::Index M = problem.D.rows(), N = problem.D.cols(), L = problem.Y.cols();
        EXPECT_LE(worst_code_error(problem, Mat::Zero(N, N), got.codes, want.codes), 1.0);

        const Mat& X = got.codes;
        EXPECT_LE(relative_error(got.stats.y_xt, problem.Y * X.transpose()), rounding_bound(L));
        EXPECT_LE(relative_error(got.stats.x_xt, X * X.transpose()), rounding_bound(L));
        double allowed = 0.0;
        for (Eigen::Index l = 0; l < L; ++l) {
            const Vec size = problem.Y.col(l).cwiseAbs() + problem.D.cwiseAbs() * X.col(l).cwiseAbs();
            allowed += rounding_bound(M + N, condition_bound(problem, l)) * size.squaredNorm();
        }
        EXPECT_NEAR(got.stats.residual_sq, (problem.Y - problem.D * X).squaredNorm(), allowed);
        for (Eigen::Index l = 0; l < L; ++l) {
            double density = 0.0;
            for (Eigen::Index n = 0; n < N; ++n)
                density += std::min(1.0, problem.gamma * X(n, l) * X(n, l) * problem.D.col(n).squaredNorm() / 9.0);
            EXPECT_NEAR(got.density[l], density, rounding_bound(N) * density);
        }

        // alpha = E / (b + x^2/2): E, computed back from alpha, must be that of the reference.
        const auto draw = [&](const BlockResult& result) -> Mat {
            return (problem.code_prior.rate + 0.5 * result.codes.array().square()) / result.code_var.array();
        };
        EXPECT_LE(((draw(got) - draw(want)).array() / draw(want).array()).abs().maxCoeff(), 64 * epsilon);
        EXPECT_LE(relative_error(got.stats.objective.code_penalty, draw(got).sum()), rounding_bound(N * L));
        const double log_alpha = -got.code_var.array().log().sum();
        EXPECT_NEAR(got.stats.objective.log_code_precision, log_alpha,
                    rounding_bound(N * L) * got.code_var.array().log().abs().sum());
    }
};

TEST_P(GibbsKernelConformance, AgreesWithReferenceAtAwkwardShapes) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : awkward_shapes()) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(random_problem(shape, 11));
    }
}

// K1 and K3. The second half of the signals is complete, so some blocks have gaps and others may have none; one signal
// has no entry at all.
TEST_P(GibbsKernelConformance, AgreesWithReferenceWhereEntriesAreMissing) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : awkward_shapes()) {
        SCOPED_TRACE(::testing::Message() << shape);
        Numbers numbers(19);
        BlockProblem problem = random_problem(shape, 20);
        const Eigen::Index gappy = (shape.L + 1) / 2;
        problem.Y.leftCols(gappy) += random_gaps(shape.M, gappy, 0.5, numbers);
        problem.Y.col(0).setConstant(std::numeric_limits<double>::quiet_NaN());
        const BlockResult want = run(reference_kernels(), problem);
        const BlockResult got = run(cpu_kernels(), problem);
        const Mat& X = got.codes;
        EXPECT_LE(worst_code_error(problem, Mat::Zero(shape.N, shape.N), X, want.codes), 1.0);

        const Mat made = problem.D * X;
        const Mat filled = problem.Y.array().isNaN().select(made, problem.Y);
        EXPECT_LE(relative_error(got.stats.y_xt, filled * X.transpose()), rounding_bound(shape.L + shape.N));
        EXPECT_LE(relative_error(got.stats.x_xt, X * X.transpose()), rounding_bound(shape.L));
        double allowed = 0.0;
        for (Eigen::Index l = 0; l < shape.L; ++l) {
            const Vec size = filled.col(l).cwiseAbs() + problem.D.cwiseAbs() * X.col(l).cwiseAbs();
            allowed += rounding_bound(shape.M + shape.N, condition_bound(problem, l)) * size.squaredNorm();
        }
        EXPECT_NEAR(got.stats.residual_sq, (filled - made).squaredNorm(), allowed);
        EXPECT_NEAR(want.stats.residual_sq, (filled - problem.D * want.codes).squaredNorm(), allowed);
        // The same normal numbers: in another order, or in other places, this would be of the order of 1.
        EXPECT_LE(relative_error(got.stats.gap_xt, want.stats.gap_xt), 1e-9);
        EXPECT_GT(got.stats.gap_xt.norm(), 0.0);
    }
}

TEST_P(GibbsKernelConformance, AgreesWithReferenceForOtherPriorShapes) {
    const HighwayTarget target(GetParam());
    for (const double a : {0.3, 1.0, 3.0}) {
        SCOPED_TRACE(a);
        for (const Shape& shape : {Shape{3, 7, 5}, Shape{7, 3, 131}}) {
            BlockProblem problem = random_problem(shape, 12);
            problem.code_prior = {a, 0.7};
            expect_agrees(problem);
        }
    }
}

TEST_P(GibbsKernelConformance, AgreesWithReferenceOnVariancesOfManyOrders) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{1, 1, 9}, Shape{5, 12, 40}, Shape{12, 5, 40}, Shape{6, 6, 40}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(random_problem(shape, 13, -12.0, 6.0));
    }
}

TEST_P(GibbsKernelConformance, HeavyTailsStayFinite) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{5, 12, 130}, Shape{12, 5, 130}, Shape{1, 1, 4}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        BlockProblem problem = random_problem(shape, 14, -15.0, 15.0);
        problem.Y = Numbers(15).normals(shape.M, shape.L);
        for (const double gamma : {1e-6, 1.0, 1e8}) {
            problem.gamma = gamma;
            const BlockResult got = run(cpu_kernels(), problem);
            EXPECT_TRUE(got.codes.allFinite());
            EXPECT_TRUE(got.code_var.allFinite() && (got.code_var.array() > 0.0).all());
            EXPECT_TRUE(got.stats.x_xt.allFinite() && got.stats.y_xt.allFinite());
            EXPECT_TRUE(std::isfinite(got.stats.residual_sq) && got.stats.residual_sq >= 0.0);
            EXPECT_TRUE(std::isfinite(got.stats.objective.log_code_precision));
            EXPECT_TRUE(std::isfinite(got.stats.objective.code_penalty));
        }
    }
}

// A sweep that keeps the dictionary is that of a new kernel, bit for bit, whatever the noise was before; and so is one
// that changes it.
TEST_P(GibbsKernelConformance, KeepingTheDictionaryChangesNothing) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{5, 12, 40}, Shape{12, 5, 40}, Shape{6, 6, 40}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        BlockProblem problem = random_problem(shape, 17, -6.0, 2.0);
        const auto kernel = cpu_kernels().gibbs();
        run(*kernel, random_problem(shape, 18));
        for (const auto& [gamma, same] : {std::pair{40.0, false}, {40.0, true}, {0.3, true}, {900.0, true}}) {
            problem.gamma = gamma;
            const BlockResult got = run(*kernel, problem, same), want = run(cpu_kernels(), problem);
            EXPECT_EQ(got.codes, want.codes) << gamma;
            EXPECT_EQ(got.code_var, want.code_var) << gamma;
            EXPECT_EQ(got.stats.x_xt, want.stats.x_xt) << gamma;
        }
    }
}

// The paper's images: 8 x 8 patches, 256 atoms.
TEST_P(GibbsKernelConformance, AgreesWithReferenceAtTheImageShape) {
    const HighwayTarget target(GetParam());
    expect_agrees(random_problem({64, 256, 130}, 16));
}

INSTANTIATE_TEST_SUITE_P(Targets, GibbsKernelConformance, ::testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace sbdl::test
