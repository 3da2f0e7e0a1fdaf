#include "run/run_monitor.hpp"

namespace sbdl {

RunMonitor::RunMonitor(const RunPlan& plan, const Context& context, std::span<Observer* const> observers)
    : plan_(plan),
      time_limit_s_(context.time_limit_s),
      observers_(observers.begin(), observers.end()),
      start_(std::chrono::steady_clock::now()) {
    for (Observer* observer : observers_) observer->on_start(plan_);
}

RunMonitor::~RunMonitor() {
    for (Observer* observer : observers_) {
        try {
            observer->on_finish();
        } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor must not throw, and the run's result stands
        }
    }
}

std::optional<StopReason> RunMonitor::after_sweep(SweepReport report) {
    report.seconds = seconds();
    report.sweeps_planned = plan_.sweeps;
    trace_.chain.push_back(report.chain);
    trace_.sweep.push_back(report.sweep);
    trace_.kept.push_back(report.phase == Phase::kept ? 1 : 0);
    trace_.objective.push_back(report.objective);
    trace_.noise_sd.push_back(report.noise_sd);
    bool stop = false;
    for (Observer* observer : observers_)
        if (observer->on_sweep(report) == Flow::stop) stop = true;
    if (stop) return StopReason::observer;
    if (time_limit_s_ > 0.0 && report.seconds >= time_limit_s_) return StopReason::time_limit;
    return std::nullopt;
}

double RunMonitor::seconds() const {
    return seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunMonitor::archive(StateArchive& archive) {
    double so_far = seconds();
    archive("seconds", so_far);
    if (archive.loading()) seconds_before_ = so_far;
    archive("chain", trace_.chain);
    archive("sweep", trace_.sweep);
    archive("kept", trace_.kept);
    archive("objective", trace_.objective);
    archive("noise_sd", trace_.noise_sd);
    if (archive.loading())
        for (Observer* observer : observers_) observer->on_resume(trace_);
}

}  // namespace sbdl
