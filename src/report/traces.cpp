// How noise and bound or log density went over the sweeps, a line a chain, burn-in shaded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/plot.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/thinning.hpp"
#include "report/words.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_chains = 8;     // drawn; more lines than that cannot be told apart
constexpr std::size_t most_points = 2000;  // drawn of one line

struct Line {
    int chain = 0;
    std::vector<PlotPoint> points;
    std::vector<char> kept;  // of each point
};

// Sweeps that count as burn-in in any chain.
int burn_in_end(const Trace& trace) {
    int end = 0;
    for (std::size_t i = 0; i < trace.sweep.size(); ++i)
        if (trace.kept[i] == 0) end = std::max(end, trace.sweep[i]);
    return end;
}

// What is not finite has no place in the plot and is left out.
std::vector<Line> lines_of(const Trace& trace, const std::vector<double>& values) {
    std::map<int, Line> by_chain;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        Line& line = by_chain[trace.chain[i]];
        line.chain = trace.chain[i];
        line.points.push_back({static_cast<double>(trace.sweep[i]), values[i]});
        line.kept.push_back(trace.kept[i] != 0 ? 1 : 0);
    }
    std::vector<Line> lines;
    for (auto& [chain, line] : by_chain) lines.push_back(std::move(line));
    return lines;
}

struct Extent {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void add(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    [[nodiscard]] double size() const { return most - least; }
};

// The first sweeps come from far away and would press everything else flat; where they do, the frame is three times as
// high as what the kept sweeps and the last quarter of burn-in take, or as `least_room`. Returns whether something lies
// outside.
bool choose_range(const std::vector<Line>& lines, double least_room, Extent& range) {
    Extent all, settled;
    for (const Line& line : lines) {
        const auto burn_in = static_cast<std::size_t>(std::count(line.kept.begin(), line.kept.end(), 0));
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            all.add(line.points[i].y);
            if (line.kept[i] != 0 || 4 * i >= 3 * burn_in) settled.add(line.points[i].y);
        }
    }
    range = all;
    const double room = std::max(settled.size(), least_room);
    if (!(room > 0.0) || all.size() <= 4.0 * room) return false;
    range.least = std::max(all.least, settled.least - room);
    range.most = std::min(all.most, settled.most + room);
    return true;
}

std::string path_of(const Line& line, const Plot& plot) {
    std::string path;
    for (const PlotPoint& point : thinned(line.points, most_points))
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plot.px(point.x), plot.py(point.y));
    // A single sweep is a dot: a line of no length with round ends.
    if (line.points.size() == 1) path += "h0";
    return path;
}

// `estimate` names what is marked across the frame; empty for nothing.
std::string legend_of(const std::vector<Line>& lines, const std::string& estimate) {
    if (lines.size() < 2 && estimate.empty()) return {};
    std::string legend = "<ul class=\"legend\">";
    for (std::size_t i = 0; i < lines.size(); ++i)
        legend += fmt::format("<li><i class=\"key line-{}\"></i>{}</li>", i,
                              lines.size() == 1 ? "each sweep" : fmt::format("chain {}", 1LL + lines[i].chain));
    if (!estimate.empty()) legend += "<li><i class=\"key estimate\"></i>" + estimate + "</li>";
    return legend + "</ul>\n";
}

struct TraceWords {
    std::string caption, what, y_label, burn_in;
    std::string estimate{};  ///< what the value across the frame is
};

/// `estimate`: a value to mark across the whole frame; NaN for none.
std::string trace_plot(const Trace& trace, const std::vector<double>& values, const TraceWords& words,
                       double estimate) {
    std::vector<Line> lines = lines_of(trace, values);
    if (lines.empty()) return {};
    const std::size_t chains = lines.size();
    if (chains > most_chains) lines.resize(most_chains);

    Extent range;
    const double least_room = std::isfinite(estimate) ? 0.1 * std::abs(estimate) : 0.0;
    const bool clipped = choose_range(lines, least_room, range);
    if (std::isfinite(estimate)) range.add(estimate);
    const int last = *std::max_element(trace.sweep.begin(), trace.sweep.end());
    double first = last;  // VB has no bound while it starts
    for (const Line& line : lines) first = std::min(first, line.points.front().x - 1.0);
    Plot plot{.caption = words.caption,
              .description = {},
              .x_label = "sweep",
              .y_label = words.y_label,
              .x = whole_axis(first, last, 6),
              .y = round_axis(range.least, range.most, 5),
              .shapes = {},
              .extras = {},
              .below = {}};
    plot.description =
        fmt::format("{} over sweeps {} to {}, from {} at first to {} in the end", words.what, first + 1.0, last,
                    number(lines.front().points.front().y), number(lines.front().points.back().y));

    const int burn_in = burn_in_end(trace);
    if (burn_in > first) {
        plot.shapes +=
            fmt::format("<rect class=\"burn-in\" width=\"{:.1f}\" height=\"{:.0f}\"/>\n", plot.px(burn_in), plot_units);
        plot.extras += fmt::format("<span class=\"burn-in-word\" style=\"min-width:{:.2f}%\">{}</span>",
                                   plot.px(burn_in) / plot_units * 100, words.burn_in);
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
        plot.shapes += fmt::format("<path class=\"line line-{}\" d=\"{}\"/>\n", i, path_of(lines[i], plot));
    if (std::isfinite(estimate))
        plot.shapes +=
            fmt::format("<path class=\"estimate\" d=\"M0 {:.1f}H{:.0f}\"/>\n", plot.py(estimate), plot_units);
    plot.below = legend_of(lines, words.estimate);
    if (clipped) plot.below += "<p class=\"remark\">The first sweeps lie outside the frame.</p>\n";
    if (chains > lines.size())
        plot.below +=
            fmt::format("<p class=\"remark\">The first {} of {} chains are drawn.</p>\n", lines.size(), chains);
    return draw(plot);
}

TraceWords noise_words(const Model& model, const std::string& units) {
    const std::string estimate = from_image(model) ? "the noise found before" : "the estimate above";
    if (kind_of(model) == RunKind::minimiser)
        return {"Residual: what the codes leave of a signal’s entry, root mean square, in each sweep.",
                "Root mean square residual", "residual, " + units, "", estimate};
    std::string caption = "Noise: its standard deviation in each sweep.";
    if (option_on(model, "second_look"))
        caption +=
            " The estimate is judged once more at the end, with codes that can be exactly zero, so it may lie apart.";
    return {caption, "Noise standard deviation", "noise, " + units,
            kind_of(model) == RunKind::bound ? "start" : "burn-in", estimate};
}

TraceWords objective_words(RunKind kind) {
    switch (kind) {
        case RunKind::chain:
            return {"Log density: a settled chain wanders about one level.", "Log density", "log density, in nats",
                    "burn-in"};
        case RunKind::bound:
            return {"Bound on the log evidence: it rises, then levels off.", "Bound on the log evidence",
                    "bound, in nats", "start"};
        case RunKind::minimiser:
            break;
    }
    return {"What the method makes small: it falls, then levels off.", "Objective", "objective", ""};
}

}  // namespace

std::string traces(const Model& model) {
    const Trace& trace = model.trace;
    if (trace.sweep.empty()) return {};
    const std::string units = from_image(model) ? "on the image’s scale" : "in the signals’ units";
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return section("traces", "How the run went",
                   trace_plot(trace, trace.noise_sd, noise_words(model, units), model.noise_sd) +
                       trace_plot(trace, trace.objective, objective_words(kind_of(model)), none));
}

}  // namespace sbdl::report
