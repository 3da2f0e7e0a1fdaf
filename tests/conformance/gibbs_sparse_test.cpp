// The sparse path of the Gibbs kernel of the "cpu" set, on every instruction set of this machine: against `reference`
// within the path's tolerance; which blocks take it and when it gives up; and that neither the number of threads nor
// neighbouring signals change a draw.
#include <gtest/gtest.h>

#include "conformance/kernel_cases.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/cpu/gibbs_path.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "support/pass_over.hpp"

namespace sbdl::test {
namespace {

// Relative to a code's length in posterior standard deviations. The path stops at 1e-8, and single precision adds to
// it.
constexpr double sparse_tolerance = 1.5e-8;

// `active` atoms of each signal, different ones for each, have the variance `large`; the others are far below the
// noise.
BlockProblem sparse_problem(const Shape& shape, Eigen::Index active, double large, std::uint64_t seed,
                            double gamma = 20.0) {
    Numbers numbers(seed);
    BlockProblem problem = random_problem(shape, seed, -7.0, -4.0);
    problem.code_var *= 20.0 / gamma;
    problem.gamma = gamma;
    for (Eigen::Index l = 0; l < shape.L; ++l)
        for (Eigen::Index i = 0; i < active; ++i)
            problem.code_var((l * 7 + i * 3) % shape.N, l) = large * (0.5 + numbers.uniform()) * 20.0 / gamma;
    const Mat X = problem.code_var.cwiseMin(1.0).cwiseSqrt().cwiseProduct(numbers.normals(shape.N, shape.L));
    problem.Y = problem.D * X + numbers.normals(shape.M, shape.L) / std::sqrt(gamma);
    return problem;
}

// Signals with 0 to 12 active atoms, in no order.
BlockProblem mixed_problem(const Shape& shape, std::uint64_t seed) {
    BlockProblem problem = sparse_problem(shape, 0, 1.0, seed);
    for (Eigen::Index l = 0; l < shape.L; ++l)
        for (Eigen::Index i = 0; i < (l * 5) % 13; ++i) problem.code_var((l * 7 + i * 3) % shape.N, l) = 1.0;
    return problem;
}

GibbsSweep sweep_of(const BlockProblem& problem) {
    return {.dictionary = &problem.D,
            .noise_precision = problem.gamma,
            .code_prior = problem.code_prior,
            .seed = 0x123456789abcdefu,
            .sweep = 70001,
            .chain = 3};
}

BlockResult draw(GibbsKernel& kernel, const BlockProblem& problem) {
    kernel.begin_sweep(sweep_of(problem));
    return run_blocks(kernel, problem);
}

BlockResult draw(GibbsPath path, const BlockProblem& problem, GibbsPathCounts* counts = nullptr) {
    return draw(*make_gibbs_cpu(path, counts), problem);
}

double largest_error(const BlockProblem& problem, const Mat& got, const Mat& want) {
    const Mat gram = problem.gamma * problem.D.transpose() * problem.D;
    double worst = 0.0;
    for (Eigen::Index l = 0; l < got.cols(); ++l) {
        const Vec alpha = problem.code_var.col(l).cwiseInverse();
        const auto length = [&](const Vec& x) { return std::sqrt(x.dot(gram * x) + x.dot(alpha.cwiseProduct(x))); };
        const double size = length(want.col(l)) + std::sqrt(static_cast<double>(problem.D.cols()));
        const double error = length(got.col(l) - want.col(l)) / size;
        worst = std::max(worst, std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
    }
    return worst;
}

// Y X^T and X X^T are those of the codes, except for the rounding of single precision: in sums of 128 products with
// codes no larger than the noise. The bound holds for every order of summation.
void expect_statistics_of_codes(const BlockProblem& problem, const BlockResult& got) {
    const Mat &Y = problem.Y, &X = got.codes;
    const Vec norm = problem.D.colwise().norm().transpose();
    Mat small = X;
    for (Eigen::Index n = 0; n < X.rows(); ++n) {
        const double unit = std::sqrt(problem.gamma) * (norm[n] > 0.0 ? norm[n] : 1.0);
        small.row(n) =
            (unit * X.row(n).array().abs() <= large_code * (1.0 + 1e-12)).select(X.row(n).array().abs(), 0.0);
    }
    const double single = (block_size + 4.0) * std::numeric_limits<float>::epsilon() / 2.0;
    const double rounding = rounding_bound(Y.cols());
    ASSERT_TRUE(got.stats.y_xt.allFinite() && got.stats.x_xt.allFinite());
    const auto excess = [&](const Mat& stats, const Mat& left, const Mat& left_in_single) {
        const Mat allowed =
            single * left_in_single * small.transpose() + rounding * left.cwiseAbs() * X.cwiseAbs().transpose();
        return ((stats - left * X.transpose()).cwiseAbs() - allowed).maxCoeff();
    };
    EXPECT_LE(excess(got.stats.y_xt, Y, Y.cwiseAbs()), 0.0);
    EXPECT_LE(excess(got.stats.x_xt, X, small), 0.0);
}

class GibbsSparsePath : public ::testing::TestWithParam<std::int64_t> {
protected:
    static void expect_agrees(const BlockProblem& problem) {
        GibbsPathCounts counts;
        const BlockResult got = draw(GibbsPath::sparse, problem, &counts);
        EXPECT_EQ(counts.dense_tiles, 0u);
        EXPECT_GT(counts.sparse_tiles, 0u);
        EXPECT_GT(counts.split, 0u);
        const BlockResult want = draw(*reference_kernels().gibbs(), problem);
        EXPECT_LE(largest_error(problem, got.codes, want.codes), sparse_tolerance);
        // The residuals, in units of the noise.
        const double noise = static_cast<double>(problem.Y.size()) / problem.gamma;
        EXPECT_NEAR(got.stats.residual_sq, want.stats.residual_sq, 1e-7 * (want.stats.residual_sq + noise));
        expect_statistics_of_codes(problem, got);
    }
};

TEST_P(GibbsSparsePath, AgreesWithReferenceAtAwkwardShapes) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{1, 2, 3}, Shape{3, 7, 5}, Shape{6, 13, 31}, Shape{5, 11, 130}, Shape{10, 30, 4},
                               Shape{17, 41, 33}, Shape{64, 256, 35}})
        for (const Eigen::Index active : {Eigen::Index{0}, Eigen::Index{1}, (shape.M + 1) / 2}) {
            SCOPED_TRACE(::testing::Message() << shape << ", active " << active);
            expect_agrees(sparse_problem(shape, active, 1.0, 21));
        }
}

TEST_P(GibbsSparsePath, AgreesWithReferenceWhenAllAtomsAreActive) {
    const HighwayTarget target(GetParam());
    for (const Shape& shape : {Shape{3, 4, 9}, Shape{7, 8, 33}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        expect_agrees(sparse_problem(shape, shape.N, 1.0, 22));
    }
}

TEST_P(GibbsSparsePath, AgreesWithReferenceWhereThePriorIsFlat) {
    const HighwayTarget target(GetParam());
    expect_agrees(sparse_problem({17, 40, 33}, 5, 1e9, 23));
}

TEST_P(GibbsSparsePath, AgreesWithReferenceWhateverTheUnits) {
    const HighwayTarget target(GetParam());
    for (const double gamma : {1e-12, 1e-3, 1e12}) {
        SCOPED_TRACE(gamma);
        expect_agrees(sparse_problem({10, 30, 20}, 3, 1.0, 24, gamma));
    }
}

// The statistics must be entirely in double precision if signals, or most codes, are far above the noise.
TEST_P(GibbsSparsePath, StatisticsAreInDoublePrecisionWhereTheNoiseIsFarBelow) {
    const HighwayTarget target(GetParam());
    BlockProblem strong = sparse_problem({17, 41, 150}, 5, 1.0, 41);
    strong.Y *= 100.0;
    ASSERT_GT(std::sqrt(strong.gamma) * strong.Y.col(149).cwiseAbs().maxCoeff(), most_strength);
    const BlockProblem many = sparse_problem({60, 64, 128}, 60, 1.0, 42);
    ASSERT_LE(std::sqrt(many.gamma) * many.Y.cwiseAbs().maxCoeff(), most_strength);
    for (const BlockProblem* problem : std::initializer_list<const BlockProblem*>{&strong, &many}) {
        GibbsPathCounts counts;
        const BlockResult got = draw(GibbsPath::sparse, *problem, &counts);
        EXPECT_EQ(counts.split, 0u);
        const Mat& X = got.codes;
        EXPECT_LE(relative_error(got.stats.y_xt, problem->Y * X.transpose()), rounding_bound(problem->Y.cols()));
        EXPECT_LE(relative_error(got.stats.x_xt, X * X.transpose()), rounding_bound(problem->Y.cols()));
    }
}

// Noise so strong that no atom exceeds it.
TEST_P(GibbsSparsePath, AgreesWithReferenceInPureNoise) {
    const HighwayTarget target(GetParam());
    BlockProblem problem = sparse_problem({10, 30, 20}, 3, 1.0, 25);
    problem.gamma = 1e-9;
    expect_agrees(problem);
}

TEST_P(GibbsSparsePath, DrawsTheCodesOfAZeroAtomFromTheirPrior) {
    const HighwayTarget target(GetParam());
    BlockProblem problem = sparse_problem({6, 13, 20}, 2, 1.0, 26);
    problem.D.col(3).setZero();
    problem.D.col(4).setZero();
    expect_agrees(problem);
}

// Learners may have atoms of almost no length, whose codes follow their prior: single precision must not lose them.
TEST_P(GibbsSparsePath, CodesOfShortAtomsCount) {
    const HighwayTarget target(GetParam());
    for (const double length : {1e-20, 1e-40, 1e-160}) {
        SCOPED_TRACE(length);
        BlockProblem problem = sparse_problem({10, 30, 140}, 3, 1.0, 27);
        problem.D.col(3) *= length;
        problem.D.col(4) *= length;
        problem.code_var.row(3).setOnes();
        problem.code_var.row(4).setOnes();
        GibbsPathCounts counts;
        const BlockResult got = draw(GibbsPath::sparse, problem, &counts);
        EXPECT_GT(counts.split, 0u);
        ASSERT_TRUE(got.stats.y_xt.allFinite() && got.stats.x_xt.allFinite());
        EXPECT_LE(relative_error(got.stats.y_xt, problem.Y * got.codes.transpose()), 1e-6);
        EXPECT_LE(relative_error(got.stats.x_xt, got.codes * got.codes.transpose()), 1e-6);
    }
}

// Signals are sorted by their active atoms, and the results must go back to their signals: codes, variances (with the
// exponential draw in lanes, and with the others one by one) and densities.
TEST_P(GibbsSparsePath, SignalsOfAllSizesKeepTheirPlaces) {
    const HighwayTarget target(GetParam());
    for (const double shape_of_prior : {0.5, 0.7}) {
        SCOPED_TRACE(shape_of_prior);
        const Shape shape{17, 41, 150};
        BlockProblem problem = mixed_problem(shape, 32);
        problem.code_prior.shape = shape_of_prior;
        expect_agrees(problem);
        const BlockResult got = draw(GibbsPath::sparse, problem), want = draw(*reference_kernels().gibbs(), problem);
        const Mat ratio = got.code_var.cwiseQuotient(want.code_var);
        EXPECT_LE((ratio.array() - 1.0).abs().maxCoeff(), 1e-6);
        EXPECT_LE((got.density - want.density).cwiseAbs().maxCoeff(), 1e-6);
    }
}

TEST_P(GibbsSparsePath, GivesTilesWithTooManyActiveAtomsToTheDensePath) {
    const HighwayTarget target(GetParam());
    const BlockProblem problem = sparse_problem({6, 13, 40}, 13, 1.0, 27);
    GibbsPathCounts counts;
    const BlockResult got = draw(GibbsPath::sparse, problem, &counts);
    EXPECT_EQ(counts.sparse_tiles, 0u);
    EXPECT_EQ(counts.given_up, counts.dense_tiles);
    EXPECT_EQ(got.codes, draw(GibbsPath::dense, problem).codes);
    EXPECT_EQ(got.stats.residual_sq, draw(GibbsPath::dense, problem).stats.residual_sq);
}

// No atom is active by itself, but all point in the same direction: together they are not a small perturbation.
TEST_P(GibbsSparsePath, GivesUpWhereItsSolutionWouldNotBeGoodEnough) {
    const HighwayTarget target(GetParam());
    BlockProblem problem = sparse_problem({10, 60, 40}, 0, 1.0, 28);
    problem.D = problem.D.col(0).replicate(1, 60) + 0.01 * problem.D;
    problem.code_var.setConstant(0.045 / (problem.gamma * problem.D.colwise().squaredNorm().maxCoeff()));
    GibbsPathCounts counts;
    const BlockResult got = draw(GibbsPath::sparse, problem, &counts);
    EXPECT_GT(counts.given_up, 0u);
    EXPECT_LE(largest_error(problem, got.codes, draw(*reference_kernels().gibbs(), problem).codes), sparse_tolerance);
}

TEST_P(GibbsSparsePath, BlocksTakeTheCheaperPathWhateverTheInstructionSet) {
    const HighwayTarget target(GetParam());
    const Shape shape{24, 96, 200};
    BlockProblem problem = sparse_problem(shape, 2, 1.0, 29);
    problem.code_var.rightCols(72).setConstant(1.0);  // the second block: all atoms are active
    GibbsPathCounts counts;
    const BlockResult got = draw(GibbsPath::cheaper, problem, &counts);
    EXPECT_EQ(counts.given_up, 0u);
    EXPECT_GT(counts.sparse_tiles, 0u);
    EXPECT_GT(counts.dense_tiles, 0u);
    EXPECT_EQ(got.codes.leftCols(128), draw(GibbsPath::sparse, problem).codes.leftCols(128));
    EXPECT_EQ(got.codes.rightCols(72), draw(GibbsPath::dense, problem).codes.rightCols(72));
}

// Sorting puts signals with too many active atoms for the path into the same tiles, or into tiles with others.
TEST_P(GibbsSparsePath, SomeTilesOfASortedBlockGiveUp) {
    const HighwayTarget target(GetParam());
    const Shape shape{9, 33, 140};
    BlockProblem problem = mixed_problem(shape, 33);
    for (Eigen::Index l = 0; l < shape.L; l += 3) problem.code_var.col(l).setConstant(1.0);
    GibbsPathCounts counts;
    const BlockResult got = draw(GibbsPath::sparse, problem, &counts),
                      want = draw(*reference_kernels().gibbs(), problem);
    EXPECT_GT(counts.given_up, 0u);
    EXPECT_GT(counts.sparse_tiles, 0u);
    EXPECT_LE(largest_error(problem, got.codes, want.codes), sparse_tolerance);
    EXPECT_LE((got.code_var.cwiseQuotient(want.code_var).array() - 1.0).abs().maxCoeff(), 1e-6);
    expect_statistics_of_codes(problem, got);
}

TEST_P(GibbsSparsePath, NeighboursDoNotChangeASignalsDraw) {
    const HighwayTarget target(GetParam());
    const BlockProblem all = mixed_problem({17, 41, 100}, 30);
    const BlockResult whole = draw(GibbsPath::sparse, all);
    for (const Eigen::Index few : {1, 5, 33, 99}) {
        BlockProblem fewer = all;
        fewer.Y = all.Y.leftCols(few);
        fewer.code_var = all.code_var.leftCols(few);
        const BlockResult part = draw(GibbsPath::sparse, fewer);
        EXPECT_EQ(part.codes, whole.codes.leftCols(few)) << few;
        EXPECT_EQ(part.code_var, whole.code_var.leftCols(few)) << few;
    }
}

TEST_P(GibbsSparsePath, ThreadsDoNotChangeTheChain) {
    const HighwayTarget target(GetParam());
    const BlockProblem problem = sparse_problem({12, 40, 300}, 2, 1.0, 31);
    Matrix rows(300, 12);
    std::copy(problem.Y.data(), problem.Y.data() + problem.Y.size(), rows.data());
    const MemorySource source{rows};
    GibbsOptions options;
    options.atoms = 40;
    options.prior = CodePrior::student_t;
    options.burn_in = 2;
    options.code_rate = 1e-6;
    const auto run = [&](int threads) {
        GibbsPathCounts counts;
        const CpuKernels kernels(GibbsPath::sparse, &counts);
        ThreadPass pass = pass_over(source, 1.0, 40, threads, kernels);
        GibbsChain chain(pass, options, 4, 0);
        for (int sweep = 0; sweep < 8; ++sweep) chain.sweep(sweep);
        EXPECT_GT(counts.sparse_tiles, 0u);
        return Mat(chain.dictionary());
    };
    EXPECT_EQ(run(1), run(2));
}

INSTANTIATE_TEST_SUITE_P(Targets, GibbsSparsePath, ::testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace sbdl::test
