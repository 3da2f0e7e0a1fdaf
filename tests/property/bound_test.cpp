// Every exact update of SBDL-VB can only raise the bound: over whole runs, with both priors, in both update modes, at
// several shapes, with the noise learned and with it fixed. It may fall only by rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "base/compute_scope.hpp"
#include "learners/vb/vb_learner.hpp"
#include "support/easy_set.hpp"
#include "support/gaps.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

// The bound is a sum over values and codes of terms of about this size each; its rounding is a small fraction of them.
double allowed_fall(const Shape& shape, double bound) {
    return 1e-12 * (std::abs(bound) + 100.0 * static_cast<double>((shape.M + shape.N) * shape.L));
}

class BoundNeverFalls : public ::testing::TestWithParam<std::tuple<std::string, DictionaryUpdate>> {};

TEST_P(BoundNeverFalls, WhileTheNoiseIsLearned) {
    const auto& [kernels, update] = GetParam();
    for (const Shape& shape : {Shape{1, 1, 3}, Shape{5, 8, 40}, Shape{8, 5, 40}, Shape{6, 6, 150}, Shape{4, 10, 3}})
        for (const double code_rate : {1e-6, 0.1}) {
            SCOPED_TRACE(::testing::Message() << shape << ", b = " << code_rate);
            Numbers numbers(131);
            const Matrix rows = to_rows(random_problem(shape, 131, -4.0, 1.0).Y);
            const MemorySource source{rows};
            VbOptions options = VbOptions::preset(Preset::paper, static_cast<int>(shape.N));
            options.update = update;
            options.code_rate = code_rate;
            ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 1, kernel_set(kernels));
            VbLearner learner(pass, options, 3);
            double last = -std::numeric_limits<double>::infinity();
            for (int sweep = 0; sweep < 60; ++sweep) {
                const double bound = learner.sweep(sweep).bound;
                ASSERT_TRUE(std::isfinite(bound));
                ASSERT_GE(bound, last - allowed_fall(shape, bound)) << "sweep " << sweep;
                last = bound;
            }
        }
}

TEST_P(BoundNeverFalls, WhileTheNoiseIsFixed) {
    const auto& [kernels, update] = GetParam();
    const bool independent = update == DictionaryUpdate::sequential;
    for (const Shape& shape : {Shape{5, 8, 40}, Shape{8, 5, 40}, Shape{4, 10, 3}})
        for (const double gamma : {0.1, 10.0, 1e4}) {
            SCOPED_TRACE(::testing::Message() << shape << ", gamma = " << gamma);
            BlockProblem problem = random_problem(shape, 132, -4.0, 1.0);
            problem.code_prior = {0.5, 1e-6};
            constexpr double beta = 1e8;
            DictionaryPosterior q{problem.D, independent ? Vec(Vec::Constant(shape.N, 1e-6)) : Vec(),
                                  independent ? Mat() : Mat(1e-6 * Mat::Identity(shape.N, shape.N)), Mat()};
            const auto kernel = kernel_set(kernels).vb();
            double last = -std::numeric_limits<double>::infinity();
            for (int sweep = 0; sweep < 60; ++sweep) {
                kernel->begin_sweep({.dictionary = &q.mean,
                                     .atom_var = independent ? &q.atom_var : nullptr,
                                     .row_cov = independent ? nullptr : &q.row_cov,
                                     .noise_precision = gamma,
                                     .code_prior = problem.code_prior});
                const BlockResult pass = run_blocks(*kernel, problem);
                problem.code_var = pass.code_var;
                const double bound =
                    variational_bound(pass.stats, static_cast<double>(shape.L), static_cast<double>(shape.M * shape.L),
                                      q, {.held = true, .held_at = gamma}, problem.code_prior, {0.5, 1e-6}, beta);
                ASSERT_TRUE(std::isfinite(bound));
                ASSERT_GE(bound, last - allowed_fall(shape, bound)) << "sweep " << sweep;
                last = bound;
                if (independent)
                    update_atoms_in_turn(pass.stats, gamma, beta, q);
                else
                    update_dictionary(pass.stats, gamma, beta, q);
            }
        }
}

// The paper's prior with our additions: the objective changes while the noise is re-estimated, and only rises once the
// noise has settled.
TEST_P(BoundNeverFalls, OnceTheNoiseHasSettled) {
    const auto& [kernels, update] = GetParam();
    const SynthSet set = easy_set(200, 15.0);
    const MemorySource source{set.signals};
    for (const bool reestimate : {true, false}) {
        SCOPED_TRACE(reestimate);
        VbOptions options = VbOptions::preset(Preset::standard, 12);
        options.prior = CodePrior::student_t;
        options.update = update;
        options.reestimate_noise = reestimate;
        options.start_sweeps = 150;
        ThreadPass pass = pass_over(source, scan_signals(source).root_mean_square, 12, 1, kernel_set(kernels));
        VbLearner learner(pass, options, 3);
        double last = -std::numeric_limits<double>::infinity();
        int climbing = 0;
        for (int sweep = 0; sweep < 600 && climbing < 60; ++sweep) {
            const VbSweepResult made = learner.sweep(sweep);
            if (made.settling) continue;
            ASSERT_GE(made.bound, last - allowed_fall({10, 12, 200}, made.bound)) << "sweep " << sweep;
            EXPECT_EQ(made.refreshed, 0);
            last = made.bound;
            ++climbing;
        }
        EXPECT_EQ(climbing, 60) << "the noise did not settle";
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, BoundNeverFalls,
                         ::testing::Combine(::testing::ValuesIn(kernel_set_names()),
                                            ::testing::Values(DictionaryUpdate::sequential, DictionaryUpdate::joint)),
                         [](const auto& each) {
                             return std::get<0>(each.param) + "_" + std::string(to_string(std::get<1>(each.param)));
                         });

/// The bound of every sweep after the settling ones; true if there were some.
bool climbs_without_falling(const SignalSource& source, double unit, const VbOptions& options, const Shape& shape) {
    ThreadPass pass = pass_over(source, unit, static_cast<std::size_t>(shape.N), 1);
    VbLearner learner(pass, options, 3);
    double last = -std::numeric_limits<double>::infinity();
    bool climbed = false;
    for (int sweep = 0; sweep < options.start_sweeps + options.sweeps; ++sweep) {
        const VbSweepResult made = learner.sweep(sweep);
        if (made.settling) continue;
        EXPECT_TRUE(std::isfinite(made.bound)) << "sweep " << sweep;
        EXPECT_GE(made.bound, last - allowed_fall(shape, made.bound)) << "sweep " << sweep;
        last = made.bound;
        climbed = true;
    }
    return climbed;
}

TEST(OnOffBoundNeverFalls, OnRandomSignals) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{1, 1, 3}, Shape{2, 3, 20}, Shape{5, 8, 40}, Shape{8, 5, 40}, Shape{6, 6, 150},
                               Shape{4, 10, 3}, Shape{130, 3, 20}})
        for (const double noise_rate : {1e-12, 0.1}) {
            SCOPED_TRACE(::testing::Message() << shape << ", d = " << noise_rate);
            const Matrix rows = to_rows(random_problem(shape, 133, -4.0, 1.0).Y);
            VbOptions options = VbOptions::preset(Preset::standard, static_cast<int>(shape.N));
            options.start_sweeps = 0;
            options.sweeps = 80;
            options.noise_rate = noise_rate;
            EXPECT_TRUE(climbs_without_falling(MemorySource{rows}, 1.0, options, shape));
        }
}

// With random masks, from a few entries missing to most: both priors, and an entry that no signal has.
TEST(GappyBoundNeverFalls, OnRandomSignals) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{2, 3, 20}, Shape{5, 8, 40}, Shape{8, 5, 150}, Shape{4, 10, 3}})
        for (const double share : {0.1, 0.5, 0.8}) {
            SCOPED_TRACE(::testing::Message() << shape << ", missing " << share);
            Numbers numbers(134);
            Mat Y = random_problem(shape, 134, -4.0, 1.0).Y + random_gaps(shape.M, shape.L, share, numbers);
            if (share == 0.5) {
                Y.row(0).setConstant(std::numeric_limits<double>::quiet_NaN());
                Y.row(1).setConstant(1.0);
            }
            const Matrix rows = to_rows(Y);
            VbOptions options = VbOptions::preset(Preset::standard, static_cast<int>(shape.N));
            options.start_sweeps = 0;
            options.sweeps = 60;
            EXPECT_TRUE(climbs_without_falling(MemorySource{rows}, 1.0, options, shape));

            options = VbOptions::preset(Preset::paper, static_cast<int>(shape.N));
            options.update = DictionaryUpdate::sequential;
            options.sweeps = 60;
            EXPECT_TRUE(climbs_without_falling(MemorySource{rows}, 1.0, options, shape));
        }
}

TEST(GappyBoundNeverFalls, InTheStandardPreset) {
    const ComputeScope scope;
    const Matrix gappy = with_random_gaps(easy_set(200, 15.0).signals, 0.4);
    const MemorySource source{gappy};
    VbOptions options = VbOptions::preset(Preset::standard, 12);
    options.start_sweeps = 100;
    const double unit = scan_signals(source, MissingValues::allowed).root_mean_square;
    EXPECT_TRUE(climbs_without_falling(source, unit, options, Shape{10, 12, 200}));
}

TEST(OnOffBoundNeverFalls, InTheStandardPreset) {
    const ComputeScope scope;
    for (const double snr_db : {5.0, 15.0, 30.0}) {
        SCOPED_TRACE(snr_db);
        const SynthSet set = easy_set(200, snr_db);
        const MemorySource source{set.signals};
        VbOptions options = VbOptions::preset(Preset::standard, 12);
        options.start_sweeps = 100;
        EXPECT_TRUE(climbs_without_falling(source, scan_signals(source).root_mean_square, options, Shape{10, 12, 200}));
    }
}

}  // namespace
}  // namespace sbdl::test
