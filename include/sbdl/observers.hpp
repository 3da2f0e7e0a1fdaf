// Ready-made observers: a progress display, a trace file, and a stop on request.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "sbdl/observer.hpp"

namespace sbdl {

/// Shows progress on the given stream, and writes nowhere else: on a terminal a bar redrawn in place, elsewhere about
/// twenty lines in total.
class ProgressMeter {
public:
    ProgressMeter(std::ostream& stream, bool terminal) : stream_(stream), terminal_(terminal) {}

    void start(std::size_t total);
    /// There is more, or less, to do than start() was told.
    void set_total(std::size_t total);
    /// `done` of the total after `seconds`; `text` describes the current work. `left` is the time that is left, if it
    /// is known better than from these numbers. May be called as often as you like.
    void show(std::size_t done, double seconds, const std::string& text, std::optional<double> left = {});
    /// Leaves the latest state on the display and ends its line.
    void finish();

private:
    void draw();
    [[nodiscard]] std::size_t lines_reached() const;

    std::ostream& stream_;
    bool terminal_;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    double seconds_ = 0.0;
    std::optional<double> left_;
    std::string text_;
    std::size_t lines_due_ = 0;  // not on a terminal: draw when this many twentieths are done
    double redraw_at_ = 0.0;     // on a terminal: the earliest time of the next redraw
    bool drawn_ = true;          // the latest state is on the display
};

/// Shows the chain, sweep, phase, noise and remaining time of a run.
class ProgressObserver final : public Observer {
public:
    ProgressObserver(std::ostream& stream, bool terminal) : meter_(stream, terminal) {}
    void on_start(const RunPlan& plan) override;
    void on_resume(const Trace& before) override;
    Flow on_sweep(const SweepReport& report) override;
    void on_finish() override;

private:
    ProgressMeter meter_;
    int chains_ = 1;
    int sweeps_planned_ = 0;  // per chain, before the first sweep
    bool infers_noise_ = true;
    std::size_t sweeps_made_ = 0;
};

/// JSON lines: first the plan, then one object per sweep, on disk as soon as the sweep is over. The file is created
/// when the run starts, so a run with rejected options leaves none. Throws FileError when it cannot be written, which
/// ends the trace, not the run.
class TraceObserver final : public Observer {
public:
    explicit TraceObserver(std::filesystem::path path) : path_(std::move(path)) {}
    void on_start(const RunPlan& plan) override;
    void on_resume(const Trace& before) override;
    Flow on_sweep(const SweepReport& report) override;
    void on_finish() override;

private:
    void write_line(const std::string& line);

    std::filesystem::path path_;
    std::ofstream file_;
};

/// Stops the run after the sweep in which a signal handler or another thread set the flag.
class InterruptObserver final : public Observer {
public:
    explicit InterruptObserver(const std::atomic<bool>& stop_requested) : stop_requested_(stop_requested) {}
    Flow on_sweep(const SweepReport&) override { return stop_requested_.load() ? Flow::stop : Flow::go_on; }

private:
    const std::atomic<bool>& stop_requested_;
};

}  // namespace sbdl
