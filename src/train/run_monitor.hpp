// What every learner's loop shares: telling observers, keeping the trace, and knowing when to stop.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "sbdl/train.hpp"

namespace sbdl {

class RunMonitor {
public:
    RunMonitor(const RunPlan& plan, const Context& context, std::span<Observer* const> observers);
    RunMonitor(const RunMonitor&) = delete;
    RunMonitor& operator=(const RunMonitor&) = delete;
    ~RunMonitor();

    /// Fills in the time, tells the observers, notes the trace. Returns why the run must stop, if it must.
    std::optional<StopReason> after_sweep(SweepReport report);

    [[nodiscard]] double seconds() const;
    [[nodiscard]] int sweeps() const { return static_cast<int>(trace_.sweep.size()); }
    [[nodiscard]] const Trace& trace() const { return trace_; }

private:
    RunPlan plan_;
    double time_limit_s_;
    std::vector<Observer*> observers_;
    std::chrono::steady_clock::time_point start_;
    Trace trace_;
};

}  // namespace sbdl
