// The progress display: when it is drawn, and what a line looks like.
//
//   terminal     [==========>         ]  52 %  left 0:12  sweep 416/800  burn-in  noise sd 0.0123
//   elsewhere     52 %  left 0:12  sweep 416/800  burn-in  noise sd 0.0123
#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "sbdl/methods.hpp"
#include "sbdl/observers.hpp"

namespace sbdl {
namespace {

constexpr std::size_t total_lines = 20;
constexpr std::size_t bar_width = 20;
constexpr std::size_t terminal_columns = 79;  // a longer line would wrap and could not be redrawn in place
constexpr double redraw_seconds = 0.1;

std::string clock_text(double seconds) {
    const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar_text(double fraction) {
    const auto filled = static_cast<std::size_t>(fraction * double(bar_width));
    std::string bar(filled, '=');
    if (filled < bar_width) bar += '>';
    bar.resize(bar_width, ' ');
    return "[" + bar + "] ";
}

}  // namespace

void ProgressMeter::start(std::size_t total) {
    total_ = total;
    done_ = 0;
    lines_due_ = 0;
    redraw_at_ = 0.0;
    drawn_ = true;
}

void ProgressMeter::set_total(std::size_t total) {
    if (total == total_) return;
    total_ = total;
    done_ = std::min(done_, total);
    lines_due_ = std::min(lines_due_, lines_reached() + 1);
}

std::size_t ProgressMeter::lines_reached() const {
    return total_ == 0 ? 0 : done_ * (total_lines - 1) / total_;
}

void ProgressMeter::show(std::size_t done, double seconds, const std::string& text, std::optional<double> left) {
    done_ = std::min(done, total_);
    seconds_ = seconds;
    left_ = left;
    text_ = text;
    drawn_ = false;
    if (terminal_) {
        if (seconds >= redraw_at_) {
            redraw_at_ = seconds + redraw_seconds;
            draw();
        }
    } else if (const std::size_t reached = lines_reached(); reached >= lines_due_) {
        lines_due_ = reached + 1;
        draw();
    }
}

void ProgressMeter::finish() {
    if (!drawn_) draw();
    if (terminal_ && total_ > 0) stream_ << '\n' << std::flush;
}

void ProgressMeter::draw() {
    const double fraction = total_ == 0 ? 1.0 : double(done_) / double(total_);
    const std::string time = fraction > 0.0 && fraction < 1.0
                                 ? "left " + clock_text(left_.value_or(seconds_ * (1.0 - fraction) / fraction))
                                 : "took " + clock_text(seconds_);
    // Rounded down: 100 % means that all is done.
    std::string line = fmt::format("{}{:3.0f} %  {}  {}", terminal_ ? bar_text(fraction) : "",
                                   std::floor(100.0 * fraction), time, text_);
    if (terminal_) {
        line.resize(std::min(line.size(), terminal_columns));
        stream_ << '\r' << line << "\x1b[K" << std::flush;  // the escape clears the rest of a longer line
    } else {
        stream_ << line << '\n' << std::flush;
    }
    drawn_ = true;
}

void ProgressObserver::on_start(const RunPlan& plan) {
    chains_ = plan.chains;
    sweeps_planned_ = plan.sweeps;
    const std::optional<Method> method = find_method(plan.method);
    infers_noise_ = !method || method->can.posterior;
    sweeps_made_ = 0;
    meter_.start(std::size_t(std::max(plan.chains, 0)) * std::size_t(std::max(plan.sweeps, 0)));
}

void ProgressObserver::on_resume(const Trace& before) {
    sweeps_made_ = before.sweep.size();
}

Flow ProgressObserver::on_sweep(const SweepReport& report) {
    ++sweeps_made_;
    // A chain that has not settled goes on, and the chains after it are as long.
    const std::size_t before = sweeps_made_ - std::min(sweeps_made_, std::size_t(report.sweep));
    meter_.set_total(before + std::size_t(chains_ - report.chain) * std::size_t(report.sweeps_planned));
    const bool goes_on = report.sweep > sweeps_planned_ && report.sweep < report.sweeps_planned;
    const char* const kept = goes_on ? "kept, not settled yet" : "kept";
    // Other learners have no burn-in, and their residual is not only noise.
    std::string state = infers_noise_ ? fmt::format("{}  noise sd {:.4g}",
                                                    report.phase == Phase::burn_in ? "burn-in" : kept, report.noise_sd)
                                      : fmt::format("residual {:.4g}", report.noise_sd);
    if (!std::isnan(report.mean_nonzeros)) state += fmt::format("  {:.3g} atoms/signal", report.mean_nonzeros);
    meter_.show(
        sweeps_made_, report.seconds,
        fmt::format("{}sweep {}/{}  {}", chains_ > 1 ? fmt::format("chain {}/{}  ", report.chain + 1, chains_) : "",
                    report.sweep, report.sweeps_planned, state));
    return Flow::go_on;
}

void ProgressObserver::on_finish() {
    meter_.finish();
}

}  // namespace sbdl
