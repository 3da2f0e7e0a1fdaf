// The run of several chains, with a chain whose sweeps are written down here.
#include "learners/chains/chains_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "random/stream.hpp"
#include "sbdl/settling.hpp"

namespace sbdl::test {
namespace {

/// Moves around a fixed dictionary of two atoms, at an angle of its own.
class ScriptedChain final : public Chain {
public:
    ScriptedChain(double angle, double log_joint) : angle_(angle), log_joint_(log_joint) { move(0.0); }

    ChainSweep sweep(int sweep, const Vec*) override {
        const double step = 1e-3 * std::sin(1.0 + 2.5 * sweep);
        move(step);
        return {.log_joint = log_joint_ + step, .gamma = 100.0 * (1.0 + step), .mean_nonzeros = 2.0 + step};
    }
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const Vec& code_energy() const override { return energy_; }
    void begin_keeping(ChainRecord&, const ChainRecord*) override {}
    void archive(StateArchive&) override {}

private:
    void move(double step) {
        const double at = angle_ + step;
        D_ << std::cos(at), -std::sin(at), std::sin(at), std::cos(at), 0.0, 0.0;
    }

    double angle_, log_joint_;
    Mat D_ = Mat::Zero(3, 2);
    Vec energy_ = Vec::Ones(2);
};

struct Script {
    double angle, log_joint;
};

/// Runs until `sweeps` sweeps have been made in all, or to the end.
Model run_chains(const std::vector<Script>& scripts, ChainPlan plan, int sweeps = 1 << 20) {
    plan.chains = static_cast<int>(scripts.size());
    plan.signals = 1.0;
    ChainsRun run(
        plan,
        [&](std::uint32_t number) -> std::unique_ptr<Chain> {
            return std::make_unique<ScriptedChain>(scripts[number].angle, scripts[number].log_joint);
        },
        // As a method that estimates the noise in a way of its own.
        [](const ChainRecord&, TrainResult& result) { result.model.noise_sd_std = 0.125; });
    for (int i = 0; i < sweeps && !run.done(); ++i) run.sweep();
    TrainResult result;
    run.finish(result);
    return result.model;
}

const ChainPlan ten_of_each{.burn_in = 10, .draws = 10, .pass = nullptr};

TEST(ChainsRun, ReportsTheBestChainAndSaysSo) {
    for (const std::size_t best : {0U, 1U, 2U}) {
        std::vector<Script> scripts{{0.1, -300.0}, {0.5, -301.0}, {0.3, -302.0}};
        scripts[best].log_joint = -200.0;
        const Model model = run_chains(scripts, ten_of_each);
        EXPECT_NEAR(model.dictionary(0, 1), std::sin(scripts[best].angle), 2e-3) << best;
        EXPECT_EQ(model.estimate.substr(0, 12), "chain " + std::to_string(best + 1) + " of 3");
        EXPECT_EQ(model.diagnostics.pooled_chains, 1.0);
        EXPECT_GT(model.diagnostics.atoms_rhat, 1.05) << "the chains differ";
    }
}

TEST(ChainsRun, PoolsChainsThatAgree) {
    const Model model = run_chains({{0.1, -300.0}, {0.1001, -300.0}, {0.5, -400.0}}, ten_of_each);
    EXPECT_EQ(model.estimate, "2 of 3 chains pooled; chain 3 differs in 2 atoms and is left out");
    EXPECT_EQ(model.diagnostics.pooled_chains, 2.0);
    EXPECT_NEAR(model.dictionary(0, 1), std::sin(0.1), 2e-3);
    EXPECT_TRUE(std::isfinite(model.diagnostics.codes_rhat) && std::isfinite(model.diagnostics.codes_ess_tail));
    EXPECT_EQ(run_chains({{0.1, -300.0}}, ten_of_each).estimate, "") << "there is nothing to choose";
}

TEST(ChainsRun, StoppedInBurnInThereIsNoSpread) {
    const Model model = run_chains({{0.1, -300.0}}, ten_of_each, 7);
    EXPECT_TRUE(model.dictionary_std.empty());
    EXPECT_TRUE(std::isnan(model.noise_sd_std)) << "whatever the method makes of it";
    EXPECT_TRUE(std::isnan(model.diagnostics.noise_rhat));
    EXPECT_NEAR(model.noise_sd, 0.1, 1e-3) << "the last sweep's";
    EXPECT_NEAR(model.dictionary(0, 1), std::sin(0.1), 2e-3);
    EXPECT_EQ(model.atom_usage.size(), 2U);
}

TEST(ChainsRun, ASpreadTakesTwoDraws) {
    const Model one = run_chains({{0.1, -300.0}}, ten_of_each, 11), two = run_chains({{0.1, -300.0}}, ten_of_each, 12);
    EXPECT_TRUE(one.dictionary_std.empty() && std::isnan(one.noise_sd_std));
    EXPECT_EQ(two.dictionary_std.rows(), 2U);
    EXPECT_EQ(two.noise_sd_std, 0.125);
    ChainPlan thinned = ten_of_each;
    thinned.thin = 5;
    const Model none = run_chains({{0.1, -300.0}}, thinned, 14);
    EXPECT_TRUE(none.dictionary_std.empty() && std::isnan(none.noise_sd_std)) << "after burn-in, but nothing kept yet";
}

// A chain stopped in burn-in has the density of another target; it must not displace one that ended.
TEST(ChainsRun, AChainThatEndedIsReportedWithItsSpread) {
    const Model model = run_chains({{0.1, -300.0}, {0.5, +300.0}}, ten_of_each, 25);
    EXPECT_NEAR(model.dictionary(0, 1), std::sin(0.1), 2e-3);
    EXPECT_FALSE(model.dictionary_std.empty());
    EXPECT_TRUE(std::isfinite(model.diagnostics.noise_rhat));
    EXPECT_EQ(model.estimate, "chain 1 of 2; 1 chain did not end");
}

/// A chain that remembers: its noise and density follow an autoregression. With 0.8 a sweep is worth 1/9 independent
/// draw, with 0.96 1/49; with 1 it walks at random and never mixes.
class SlowChain final : public Chain {
public:
    explicit SlowChain(double memory) : memory_(memory) {}

    ChainSweep sweep(int, const Vec*) override {
        at_ = memory_ * at_ + std::sqrt(1.001 - memory_ * memory_) * draws_.normal();
        return {.log_joint = -300.0 + at_, .gamma = 100.0 * (1.0 + 1e-3 * at_), .mean_nonzeros = 2.0};
    }
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const Vec& code_energy() const override { return energy_; }
    void begin_keeping(ChainRecord&, const ChainRecord*) override {}
    void archive(StateArchive&) override {}

private:
    double memory_, at_ = 0.0;
    DrawStream draws_{7, {Purpose::initial_atoms, 0, 0, 0}};
    Mat D_ = Mat::Identity(3, 2);
    Vec energy_ = Vec::Ones(2);
};

struct SlowRun {
    std::size_t kept = 0;
    double rhat = 0.0, ess = 0.0;  // the worst
};

SlowRun slow_run(double memory, int draws, int most_draws) {
    SlowRun found;
    ChainsRun run(
        {.burn_in = 10, .draws = draws, .most_draws = most_draws, .signals = 1.0, .pass = nullptr},
        [=](std::uint32_t) -> std::unique_ptr<Chain> { return std::make_unique<SlowChain>(memory); },
        [&](const ChainRecord& record, TrainResult&) { found.kept = record.kept(); });
    int made = 0;
    while (!run.done()) {
        run.sweep();
        ++made;
        EXPECT_TRUE(run.done() || made < run.sweeps()) << "the plan is raised before it is reached";
    }
    TrainResult result;
    run.finish(result);
    const Diagnostics& d = result.model.diagnostics;
    found.rhat = std::max(d.noise_rhat, d.objective_rhat);
    found.ess = std::min(d.noise_ess, d.objective_ess);
    return found;
}

TEST(ChainsRun, AChainGoesOnUntilItsSampleIsLargeEnough) {
    const SlowRun few = slow_run(0.8, 500, 0);
    EXPECT_EQ(few.kept, 500U);
    EXPECT_LE(few.rhat, settled_rhat);
    EXPECT_LT(few.ess, settled_ess);
    const SlowRun more = slow_run(0.8, 500, 5000);
    EXPECT_GE(more.ess, settled_ess);
    EXPECT_GT(more.kept, 600U);
    EXPECT_LT(more.kept, 2500U) << "it stops when it has enough";
    EXPECT_EQ(slow_run(0.8, 500, 600).kept, 600U) << "at most as many as allowed";
    EXPECT_EQ(slow_run(0.8, 4000, 5000).kept, 4000U) << "enough at once";
}

// Halves of a short chain differ by chance. This is R-hat's reason in most chains that have not settled.
TEST(ChainsRun, AChainWhoseHalvesDifferGoesOnToo) {
    const SlowRun few = slow_run(0.96, 500, 0);
    EXPECT_GT(few.rhat, settled_rhat);
    const SlowRun more = slow_run(0.96, 500, 20000);
    EXPECT_LE(more.rhat, settled_rhat);
    EXPECT_GE(more.ess, settled_ess);
    EXPECT_GT(more.kept, 2000U);
    EXPECT_LT(more.kept, 12000U);
    EXPECT_EQ(slow_run(0.96, 399, 20000).kept, 399U) << "too short to tell";
    EXPECT_EQ(slow_run(0.8, 40, 5000).kept, 40U);
}

TEST(ChainsRun, AChainThatDoesNotMixDoesNotGoOn) {
    EXPECT_EQ(slow_run(1.0, 500, 2000).kept, 500U);
}

}  // namespace
}  // namespace sbdl::test
