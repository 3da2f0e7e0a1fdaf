// Tells the observers of each sweep, keeps the trace, and knows when to stop.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "base/state_archive.hpp"
#include "sbdl/train.hpp"

namespace sbdl {

class RunMonitor {
public:
    RunMonitor(const RunPlan& plan, const Context& context, std::span<Observer* const> observers);
    RunMonitor(const RunMonitor&) = delete;
    RunMonitor& operator=(const RunMonitor&) = delete;
    ~RunMonitor();

    /// Fills in the time, tells the observers, extends the trace. Returns why the run must stop, if it must.
    std::optional<StopReason> after_sweep(SweepReport report);

    /// Since the run started, the time before a kill included.
    [[nodiscard]] double seconds() const;
    [[nodiscard]] int sweeps() const { return static_cast<int>(trace_.sweep.size()); }
    [[nodiscard]] const Trace& trace() const { return trace_; }

    void archive(StateArchive& archive);

private:
    RunPlan plan_;
    double time_limit_s_;
    std::vector<Observer*> observers_;
    std::chrono::steady_clock::time_point start_;
    double seconds_before_ = 0.0;
    Trace trace_;
};

}  // namespace sbdl
