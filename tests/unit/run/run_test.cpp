// How a run tells its observers what happens and how it ends: every sweep, a stop, an exception, a time limit.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/settling.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"

namespace sbdl::test {
namespace {

class Recorder : public Observer {
public:
    void on_start(const RunPlan& started) override {
        ++starts;
        plan = started;
        events += 's';
    }
    Flow on_sweep(const SweepReport& report) override {
        reports.push_back(report);
        events += '.';
        if (throw_at > 0 && static_cast<int>(reports.size()) == throw_at) throw std::runtime_error("observer's own");
        return stop_at > 0 && static_cast<int>(reports.size()) == stop_at ? Flow::stop : Flow::go_on;
    }
    void on_finish() override { events += 'f'; }

    int starts = 0, stop_at = 0, throw_at = 0;
    RunPlan plan;
    std::vector<SweepReport> reports;
    std::string events;
};

/// Started, given this many sweeps, finished.
std::string whole_run(int sweeps) {
    std::string events(static_cast<std::size_t>(sweeps) + 2, '.');
    events.front() = 's';
    events.back() = 'f';
    return events;
}

template <class Options>
TrainResult run(const Options& options, std::vector<Observer*> observers,
                Context context = {.execution = {.threads = 2}}) {
    static const SynthSet set = easy_set(200);
    return train(MemorySource{set.signals}, options, context, observers);
}

TEST(GibbsRun, TellsEverySweepOfEveryChainInOrder) {
    GibbsOptions options = short_gibbs(12);
    options.burn_in = 10;
    options.draws = 6;
    options.thin = 2;
    options.chains = 2;
    Recorder first, second;
    const TrainResult result = run(options, {&first, &second});
    EXPECT_EQ(first.events, whole_run(32));
    EXPECT_EQ(second.events, first.events);
    EXPECT_EQ(first.plan.method, "gibbs");
    EXPECT_EQ(first.plan.signal_count, 200u);
    EXPECT_EQ(first.plan.signal_dim, 10u);
    EXPECT_EQ(first.plan.atom_count, 12u);
    EXPECT_EQ(first.plan.chains, 2);
    EXPECT_EQ(first.plan.sweeps, 16);
    EXPECT_EQ(result.reason, StopReason::sweeps_done);
    EXPECT_EQ(result.sweeps, 32);
    EXPECT_EQ(result.model.stop_reason, "sweeps_done");
    const Trace& trace = result.model.trace;
    ASSERT_EQ(trace.sweep.size(), 32u);
    double last_seconds = 0.0;
    for (std::size_t i = 0; i < 32; ++i) {
        const SweepReport& report = first.reports[i];
        EXPECT_EQ(report.chain, static_cast<int>(i / 16));
        EXPECT_EQ(report.sweep, static_cast<int>(i % 16) + 1);
        EXPECT_EQ(report.sweeps_planned, 16);
        EXPECT_EQ(report.phase, i % 16 < 10 ? Phase::burn_in : Phase::kept);
        EXPECT_GE(report.seconds, last_seconds);
        EXPECT_GT(report.noise_sd, 0.0);
        if (report.phase == Phase::kept) {
            EXPECT_EQ(report.atoms_refreshed, 0);
        }
        last_seconds = report.seconds;
        EXPECT_EQ(trace.chain[i], report.chain);
        EXPECT_EQ(trace.sweep[i], report.sweep);
        EXPECT_EQ(trace.kept[i], report.phase == Phase::kept ? 1 : 0);
        EXPECT_EQ(trace.objective[i], report.objective);
        EXPECT_EQ(trace.noise_sd[i], report.noise_sd);
    }
}

TEST(VbRun, TellsEverySweepAndStopsWhenTheBoundSettles) {
    VbOptions options = VbOptions::preset(Preset::paper, 12);
    options.tolerance = 5e-3;
    options.sweeps = 300;
    Recorder recorder;
    const TrainResult result = run(options, {&recorder});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.model.stop_reason, "converged");
    EXPECT_LT(result.sweeps, 300);
    EXPECT_EQ(recorder.events, whole_run(result.sweeps));
    EXPECT_EQ(recorder.plan.method, "vb");
    EXPECT_EQ(recorder.plan.sweeps, 300);
    const std::vector<double>& bound = result.model.trace.objective;
    for (const std::size_t back : {1u, 2u})
        EXPECT_LE(std::abs(bound[bound.size() - back] - bound[bound.size() - back - 1]),
                  5e-3 * std::abs(bound[bound.size() - back]));
    EXPECT_TRUE(std::isnan(result.model.diagnostics.noise_rhat));

    options.tolerance = 0.0;  // never
    options.sweeps = 30;
    EXPECT_EQ(run(options, {}).reason, StopReason::sweeps_done);
}

template <class Options>
void expect_stops_well(const Options& options) {
    for (const int at : {1, 7}) {
        Recorder first, second;
        second.stop_at = at;
        const TrainResult result = run(options, {&second, &first});
        EXPECT_EQ(result.reason, StopReason::observer);
        EXPECT_EQ(result.model.stop_reason, "interrupted");
        EXPECT_EQ(result.sweeps, at);
        EXPECT_EQ(first.events, whole_run(at)) << "not called for the last";
        const Model& model = result.model;
        EXPECT_EQ(model.dictionary.rows(), 12u);
        EXPECT_GT(model.noise_sd, 0.0);
        EXPECT_TRUE(model.dictionary_std.empty()) << "in burn-in there is no posterior";
        EXPECT_TRUE(model.codes_std.empty());
        EXPECT_TRUE(std::isnan(model.noise_sd_std));
        const Settling settling = judge_settling(model);
        EXPECT_EQ(settling.settled, Settled::no);
        EXPECT_EQ(settling.reason, std::string("stopped in ") + (model.method == "vb" ? "the Gibbs start" : "burn-in") +
                                       ": no posterior, no standard deviations");
    }
}

TEST(StoppedRun, GibbsReturnsWhatThereIs) {
    GibbsOptions options = short_gibbs(12);
    options.keep_codes = true;
    expect_stops_well(options);
}

TEST(StoppedRun, VbReturnsWhatThereIs) {
    VbOptions options = short_vb(12);
    options.keep_codes = true;
    expect_stops_well(options);
}

TEST(StoppedRun, BpfaReturnsWhatThereIs) {
    BpfaOptions options = BpfaOptions::preset(Preset::standard, 12);
    options.burn_in = 25;
    options.keep_codes = true;
    expect_stops_well(options);
}

// After burn-in, or once VB has a bound, there is a posterior. While it lowers the noise its atoms have no
// distribution, and standard deviations of zero would look like certainty.
TEST(StoppedRun, LaterThereIsAPosterior) {
    Recorder recorder;
    recorder.stop_at = 27;
    const Model gibbs = run(short_gibbs(12), {&recorder}).model;
    EXPECT_EQ(gibbs.dictionary_std.rows(), 12u);
    EXPECT_GT(gibbs.noise_sd_std, 0.0);
    EXPECT_EQ(judge_settling(gibbs).settled, Settled::unknown) << "two kept sweeps";
    VbOptions options = short_vb(12);
    options.keep_codes = true;
    const int first_with_bound = options.start_sweeps + 13;  // ten with more noise, two more with fixed atoms
    for (const int at : {options.start_sweeps + 1, first_with_bound - 1, first_with_bound}) {
        SCOPED_TRACE(at);
        Recorder of_vb;
        of_vb.stop_at = at;
        const Model vb = run(options, {&of_vb}).model;
        EXPECT_EQ(vb.dictionary_std.empty(), at < first_with_bound);
        EXPECT_EQ(vb.codes_std.empty(), at < first_with_bound);
        EXPECT_EQ(std::isnan(vb.noise_sd_std), at < first_with_bound);
        EXPECT_EQ(judge_settling(vb).settled, Settled::no);
        EXPECT_EQ(judge_settling(vb).reason.find("no posterior") != std::string::npos, at < first_with_bound);
    }
}

// The bound of VB has ended its climb, and the chain that gives the standard deviations has not.
TEST(StoppedRun, InTheClosingChainItSaysSo) {
    const VbOptions options = short_vb(12);
    const TrainResult whole = run(options, {});
    for (const int before_the_end : {1, 30}) {  // with draws, and in the chain's burn-in
        SCOPED_TRACE(before_the_end);
        Recorder recorder;
        recorder.stop_at = whole.sweeps - before_the_end;
        const Model model = run(options, {&recorder}).model;
        EXPECT_EQ(model.dictionary_std.rows(), 12u);
        EXPECT_GT(model.noise_sd_std, 0.0);
        const Settling settling = judge_settling(model);
        EXPECT_EQ(settling.settled, Settled::no);
        EXPECT_NE(settling.reason.find("stopped in the Gibbs chain after VB"), std::string::npos) << settling.reason;
    }
}

// The run goes on to the same result. The observer hears no more, but for the end, and the others hear all.
template <class Options>
void expect_goes_on(const Options& options) {
    const Model undisturbed = run(options, {}).model;
    for (const int threads : {1, 3}) {
        Recorder first, second;
        second.throw_at = 4;
        const TrainResult result = run(options, {&second, &first}, {.execution = {.threads = threads}});
        EXPECT_EQ(result.observer_errors, std::vector<std::string>{"observer's own"});
        EXPECT_EQ(values_of(result.model.dictionary), values_of(undisturbed.dictionary));
        EXPECT_EQ(first.events, whole_run(result.sweeps));
        EXPECT_EQ(second.events, "s....f");
    }
}

TEST(ThrowingObserver, DoesNotEndGibbs) {
    GibbsOptions options = short_gibbs(12);
    options.burn_in = 5;
    expect_goes_on(options);
}

TEST(ThrowingObserver, DoesNotEndVb) {
    VbOptions options = short_vb(12);
    options.start_sweeps = 3;  // the fourth sweep is VB's own
    options.sweeps = 10;
    expect_goes_on(options);
}

/// Fails wherever it can, with what is not even an exception.
class Unhappy final : public Observer {
public:
    void on_start(const RunPlan&) override { throw FileError("the disk is full"); }
    Flow on_sweep(const SweepReport&) override {
        ADD_FAILURE() << "it has failed already";
        return Flow::stop;
    }
    void on_finish() override { throw 1; }  // NOLINT(hicpp-exception-baseclass)
};
class UnhappyAtTheEnd final : public Observer {
public:
    void on_finish() override { throw 1; }  // NOLINT(hicpp-exception-baseclass)
};

TEST(ThrowingObserver, IsReportedOnceWhereverItFails) {
    Unhappy start;
    UnhappyAtTheEnd end;
    const TrainResult result = run(short_gibbs(12), {&start, &end});
    EXPECT_EQ(result.reason, StopReason::sweeps_done);
    ASSERT_EQ(result.observer_errors.size(), 2U);
    EXPECT_EQ(result.observer_errors[0], "the disk is full");
    EXPECT_NE(result.observer_errors[1].find("not a std::exception"), std::string::npos);
}

class Stopper final : public Observer {
public:
    Flow on_sweep(const SweepReport&) override { throw Stopped(); }
};

// The others are notified of the end, and the library can be used again.
TEST(ThrowingObserver, EndsTheRunWithStopped) {
    for (const int threads : {1, 3}) {
        Recorder other;
        Stopper stopper;
        EXPECT_THROW(run(short_vb(12), {&other, &stopper}, {.execution = {.threads = threads}}), Stopped);
        EXPECT_EQ(other.events, "s.f");
        EXPECT_EQ(run(short_gibbs(12), {}, {.execution = {.threads = threads}}).reason, StopReason::sweeps_done);
    }
}

TEST(TimeLimit, EndsARunAfterTheSweepInWhichItPasses) {
    const Context context{.execution = {.threads = 1}, .time_limit_s = 1e-9};
    const TrainResult gibbs = run(short_gibbs(12), {}, context);
    EXPECT_EQ(gibbs.reason, StopReason::time_limit);
    EXPECT_EQ(gibbs.sweeps, 1);
    EXPECT_EQ(gibbs.model.stop_reason, "time_limit");
    const TrainResult vb = run(short_vb(12), {}, context);
    EXPECT_EQ(vb.reason, StopReason::time_limit);
    EXPECT_EQ(vb.sweeps, 1);
}

TEST(SeveralChains, DifferAndGiveDiagnostics) {
    GibbsOptions options = short_gibbs(12);
    options.draws = 40;
    options.chains = 3;
    const TrainResult result = run(options, {});
    const Trace& trace = result.model.trace;
    EXPECT_NE(trace.objective[0], trace.objective[65]);
    EXPECT_NE(trace.objective[0], trace.objective[130]);
    const Diagnostics& d = result.model.diagnostics;
    for (const double value :
         {d.noise_rhat, d.noise_ess, d.noise_ess_tail, d.objective_rhat, d.objective_ess, d.objective_ess_tail,
          d.atoms_rhat, d.atoms_ess, d.atoms_ess_tail, d.codes_rhat, d.codes_ess, d.codes_ess_tail, d.pooled_chains})
        EXPECT_TRUE(std::isfinite(value) && value > 0.0);
    EXPECT_FALSE(result.model.estimate.empty()) << "it says which chains";
}

// A chain stopped in burn-in has the density of a different target; it must not displace a finished one.
TEST(GibbsRun, AFinishedChainIsNotLostToOneStoppedInBurnIn) {
    GibbsOptions options = short_gibbs(12);
    Recorder alone;
    const Model finished = run(options, {&alone}).model;
    options.chains = 2;
    Recorder recorder;
    recorder.stop_at = options.burn_in + options.draws + 5;
    const TrainResult stopped = run(options, {&recorder});
    EXPECT_EQ(stopped.reason, StopReason::observer);
    for (std::size_t i = 0; i < finished.dictionary.size(); ++i)
        ASSERT_EQ(stopped.model.dictionary.data()[i], finished.dictionary.data()[i]);
}

// If each chain froze its own code prior, the chains would sample different posteriors. R-hat of the log density, which
// contains N L/2 ln b, would then be far from 1 however long they ran.
TEST(GibbsRun, ChainsSampleOnePosterior) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.draws = 400;
    options.chains = 2;
    const Model model = run(options, {}).model;
    EXPECT_LT(model.diagnostics.objective_rhat, 1.5);
}

TEST(GibbsRun, ARunThatGoesOnDrawsNewNumbers) {
    GibbsOptions options = short_gibbs(12);
    const Model first = run(options, {}).model;
    Context context{.execution = {.threads = 2}};
    context.start = &first;
    const Model second = run(options, {}, context).model;
    Model at_zero = first;
    at_zero.trace = {};
    at_zero.noise_sd = first.trace.noise_sd.back();
    context.start = &at_zero;
    const Model replayed = run(options, {}, context).model;
    EXPECT_NE(second.trace.objective.front(), replayed.trace.objective.front());
    options.chains = 2;
    EXPECT_THROW(run(options, {}, context), InputError);
}

TEST(GibbsRun, WhatDoublesCannotHoldIsANumericErrorNamingTheSweep) {
    GibbsOptions options = GibbsOptions::preset(Preset::paper, 12);
    options.noise_shape = 1e300;
    options.noise_rate = 1e-300;
    try {
        run(options, {});
        FAIL() << "it came through";
    } catch (const NumericError& error) {
        EXPECT_NE(std::string(error.what()).find("sweep "), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace sbdl::test
