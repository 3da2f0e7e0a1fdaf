// Runs that are killed and resumed, for the tests of checkpoints.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sbdl/train.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {

/// Ends a run as a kill would, without warning: in the report of sweep number `at`, counted over all chains.
class Killer final : public Observer {
public:
    explicit Killer(int at) : at_(at) {}
    void on_resume(const Trace& before) override { made_ = static_cast<int>(before.sweep.size()); }
    Flow on_sweep(const SweepReport&) override {
        if (++made_ == at_) throw Stopped();
        return Flow::go_on;
    }

private:
    int at_;
    int made_ = 0;
};

/// Records where a resumed run continues.
class ResumeRecorder final : public Observer {
public:
    void on_start(const RunPlan&) override { events += 's'; }
    void on_resume(const Trace& trace) override {
        events += 'r';
        before = trace;
    }
    Flow on_sweep(const SweepReport& report) override {
        if (before.sweep.size() + sweeps.size() < 1000) sweeps.push_back(report.sweep);
        events += '.';
        return Flow::go_on;
    }
    void on_finish() override { events += 'f'; }

    Trace before;
    std::vector<int> sweeps;
    std::string events;
};

/// Runs over one set of signals with a checkpoint in a separate folder.
class Checkpoints {
public:
    Checkpoints(const SignalSource& signals, AnyOptions options, Context context = {})
        : signals_(signals), options_(std::move(options)), context_(std::move(context)) {
        context_.execution.threads = 1;
    }

    [[nodiscard]] TrainResult undisturbed() const { return train(signals_, options_, context_); }

    /// A run that is killed in the report of that sweep. The checkpoint is then from the previous sweep.
    void kill_at(int sweep, bool resume = false) const {
        Killer killer(sweep);
        const std::array<Observer*, 1> observers{&killer};
        try {
            train(signals_, options_, with_checkpoint(resume, 2), observers);
            ADD_FAILURE() << "it was not killed";
        } catch (const Stopped&) {  // as it should be
        }
    }

    [[nodiscard]] TrainResult resumed(int threads = 3, Observer* observer = nullptr) const {
        const std::array<Observer*, 1> observers{observer};
        Context context = with_checkpoint(true, threads);
        context.checkpoint.every_s = 3600.0;  // writing takes longer than all the rest
        return train(signals_, options_, context, std::span(observers).first(observer == nullptr ? 0 : 1));
    }

    [[nodiscard]] Context with_checkpoint(bool resume, int threads = 1) const {
        Context context = context_;
        context.execution.threads = threads;
        context.checkpoint = {.path = file(), .every_s = 0.0, .resume = resume};
        return context;
    }
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "checkpoint"; }

    /// Kills and resumes at each of the sweeps.
    void expect_resumes(std::initializer_list<int> sweeps) const {
        const TrainResult want = undisturbed();
        for (const int sweep : sweeps) {
            SCOPED_TRACE(::testing::Message() << "killed in sweep " << sweep);
            ASSERT_GT(want.sweeps, sweep) << "otherwise this test asks nothing";
            kill_at(sweep);
            expect_same_result(resumed(), want);
        }
    }

private:
    const SignalSource& signals_;
    AnyOptions options_;
    Context context_;
    TempFolder folder_;
};

}  // namespace sbdl::test
