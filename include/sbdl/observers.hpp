// Ready-made observers: a progress display, a trace file, and a stop on request.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <string>
#include <utility>

#include "sbdl/observer.hpp"

namespace sbdl {

/// Shows how far some work has come on the stream it is given, and writes nowhere else: a bar redrawn in place on a
/// terminal, about twenty lines over the whole work elsewhere.
class ProgressMeter {
public:
    ProgressMeter(std::ostream& stream, bool terminal) : stream_(stream), terminal_(terminal) {}

    void start(std::size_t total);
    /// `done` of the total after `seconds`; `text` says what is being done. Call it as often as you like.
    void show(std::size_t done, double seconds, const std::string& text);
    /// Leaves the latest state on the display and ends its line.
    void finish();

private:
    void draw();

    std::ostream& stream_;
    bool terminal_;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    double seconds_ = 0.0;
    std::string text_;
    std::size_t lines_due_ = 0;  // elsewhere than on a terminal: draw when this many twentieths are done
    double redraw_at_ = 0.0;     // on a terminal: no redraw before
    bool drawn_ = true;          // the latest state is on the display
};

/// Chain, sweep, phase, noise and time left of a run.
class ProgressObserver final : public Observer {
public:
    ProgressObserver(std::ostream& stream, bool terminal) : meter_(stream, terminal) {}
    void on_start(const RunPlan& plan) override;
    Flow on_sweep(const SweepReport& report) override;
    void on_finish() override;

private:
    ProgressMeter meter_;
    int chains_ = 1;
    std::size_t sweeps_made_ = 0;
};

/// JSON lines: first the plan, then one object a sweep, on disk as soon as the sweep is over. The file is made when the
/// run starts, so a run that is refused leaves none. Throws FileError when it cannot be written.
class TraceObserver final : public Observer {
public:
    explicit TraceObserver(std::filesystem::path path) : path_(std::move(path)) {}
    void on_start(const RunPlan& plan) override;
    Flow on_sweep(const SweepReport& report) override;
    void on_finish() override;

private:
    void write_line(const std::string& line);

    std::filesystem::path path_;
    std::ofstream file_;
};

/// Stops the run after the sweep in which the flag was raised, by a signal handler or another thread.
class InterruptObserver final : public Observer {
public:
    explicit InterruptObserver(const std::atomic<bool>& stop_requested) : stop_requested_(stop_requested) {}
    Flow on_sweep(const SweepReport&) override { return stop_requested_.load() ? Flow::stop : Flow::go_on; }

private:
    const std::atomic<bool>& stop_requested_;
};

}  // namespace sbdl
