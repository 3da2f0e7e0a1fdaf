// The progress display writes to its stream, not too often, and ends with the latest state.
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sbdl/observers.hpp"

namespace sbdl {
namespace {

RunPlan plan_of(int chains, int sweeps) {
    return {
        .method = "gibbs", .signal_count = 100, .signal_dim = 5, .atom_count = 8, .chains = chains, .sweeps = sweeps};
}

SweepReport report_of(int chain, int sweep, int planned, double seconds) {
    SweepReport report;
    report.chain = chain;
    report.sweep = sweep;
    report.sweeps_planned = planned;
    report.phase = 2 * sweep <= planned ? Phase::burn_in : Phase::kept;
    report.noise_sd = 0.25;
    report.seconds = seconds;
    return report;
}

std::string run(bool terminal, int chains, int sweeps, int made, double seconds_per_sweep) {
    std::ostringstream out;
    ProgressObserver progress(out, terminal);
    progress.on_start(plan_of(chains, sweeps));
    int total = 0;
    for (int chain = 0; chain < chains; ++chain) {
        for (int sweep = 1; sweep <= made; ++sweep) {
            EXPECT_EQ(progress.on_sweep(report_of(chain, sweep, sweeps, seconds_per_sweep * ++total)), Flow::go_on);
        }
    }
    progress.on_finish();
    return out.str();
}

TEST(Progress, ALongRunHasFewLines) {
    for (const int sweeps : {1, 7, 20, 800, 100000}) {
        const std::string text = run(false, 1, sweeps, sweeps, 0.01);
        const auto lines = std::count(text.begin(), text.end(), '\n');
        EXPECT_LE(lines, 20) << sweeps;
        EXPECT_GE(lines, std::min(sweeps, 19)) << sweeps;
        EXPECT_EQ(text.find('\r'), std::string::npos);
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
    }
}

// A chain that has not settled goes on: its plan grows with the last sweep of the old one.
TEST(Progress, ARunThatGoesOnIsDoneOnlyAtItsEnd) {
    for (const bool terminal : {false, true}) {
        std::ostringstream out;
        ProgressObserver progress(out, terminal);
        progress.on_start(plan_of(1, 1000));
        for (int sweep = 1; sweep <= 4000; ++sweep)
            progress.on_sweep(report_of(0, sweep, sweep < 1000 ? 1000 : 4000, 0.01 * sweep));
        const std::string before = out.str();
        EXPECT_TRUE(terminal || before.find(" 26 %  left 0:29  sweep 1053/4000") != std::string::npos) << before;
        EXPECT_NE(before.find("kept, not settled yet"), std::string::npos) << before;
        progress.on_finish();
        const std::string text = out.str();
        EXPECT_EQ(text.find("100 %"), text.rfind("100 %")) << text;
        EXPECT_NE(text.find("sweep 4000/4000", text.find("100 %")), std::string::npos) << text;
        EXPECT_TRUE(terminal || std::count(text.begin(), text.end(), '\n') > 30) << text;
    }
}

TEST(Progress, TheFirstSweepIsShownImmediately) {
    std::ostringstream out;
    ProgressObserver progress(out, false);
    progress.on_start(plan_of(1, 1000000));
    progress.on_sweep(report_of(0, 1, 1000000, 1e-3));
    EXPECT_NE(out.str().find("sweep 1/1000000  burn-in  noise sd 0.25"), std::string::npos) << out.str();
}

TEST(Progress, ARunThatStopsEarlyEndsWithItsLastSweep) {
    const std::string text = run(false, 1, 1000, 123, 0.01);
    const auto last_line = text.rfind('\n', text.size() - 2) + 1;
    EXPECT_NE(text.find("sweep 123/1000", last_line), std::string::npos) << text;
}

TEST(Progress, TheRemainingTimeIsProportionalToTheRemainingWork) {
    std::ostringstream out;
    ProgressObserver progress(out, false);
    progress.on_start(plan_of(1, 4));
    progress.on_sweep(report_of(0, 1, 4, 30.0));
    EXPECT_NE(out.str().find("left 1:30"), std::string::npos) << out.str();
    progress.on_sweep(report_of(0, 2, 4, 3700.0));
    EXPECT_NE(out.str().find("left 1:01:40"), std::string::npos) << out.str();
}

TEST(Progress, TheRemainingTimeCanBeToldAndNothingIsRoundedUpToAll) {
    std::ostringstream out;
    ProgressMeter meter(out, false);
    meter.start(1000);
    meter.show(999, 10.0, "nearly", 75.0);
    EXPECT_EQ(out.str(), " 99 %  left 1:15  nearly\n");
    meter.show(1000, 11.0, "done", 0.0);
    EXPECT_EQ(out.str(), " 99 %  left 1:15  nearly\n100 %  took 0:11  done\n");
}

TEST(Progress, ChainsAreNamedWhenThereAreSeveral) {
    const std::string text = run(false, 3, 10, 10, 0.1);
    EXPECT_NE(text.find("chain 3/3  sweep 10/10  kept"), std::string::npos) << text;
    EXPECT_NE(text.find("100 %"), std::string::npos);
    EXPECT_EQ(run(false, 1, 10, 10, 0.1).find("chain"), std::string::npos);
}

TEST(Progress, TheBarIsRedrawnInPlaceAndNotWithEverySweep) {
    const std::string text = run(true, 1, 1000, 1000, 0.001);  // one second of sweeps
    const auto redraws = std::count(text.begin(), text.end(), '\r');
    EXPECT_GE(redraws, 5);
    EXPECT_LE(redraws, 12);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_NE(text.find("[====================] 100 %  took 0:01  sweep 1000/1000"), std::string::npos) << text;
}

TEST(Progress, TheBarNeverWraps) {
    std::ostringstream out;
    ProgressMeter meter(out, true);
    meter.start(2);
    meter.show(1, 1.0, std::string(200, 'x'));
    const std::string text = out.str();
    EXPECT_LE(text.find('\x1b') - text.find('\r') - 1, 79U);
}

TEST(Progress, ARunWithoutSweepsPrintsNothing) {
    EXPECT_EQ(run(false, 1, 10, 0, 0.0), "");
}

}  // namespace
}  // namespace sbdl
