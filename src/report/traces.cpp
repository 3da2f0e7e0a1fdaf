// Noise and objective over the sweeps, one line per chain, with burn-in shaded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "plot/html_figure.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_chains = plot::hue_count;  // drawn; more lines would be indistinguishable

struct Line {
    std::vector<plot::Point> points;
    std::vector<char> kept;  // of each point
};
using Lines = std::map<int, Line>;  // by chain

// The last sweep before a chain's first kept one. (What vb does not keep later is the burn-in of its closing chain.)
int burn_in_end(const Trace& trace) {
    int end = 0;
    std::set<int> keeping;  // chains
    for (std::size_t i = 0; i < trace.sweep.size(); ++i)
        if (trace.kept[i] != 0)
            keeping.insert(trace.chain[i]);
        else if (!keeping.contains(trace.chain[i]))
            end = std::max(end, trace.sweep[i]);
    return end;
}

// Values that are not finite are left out.
Lines lines_of(const Trace& trace, const std::vector<double>& values) {
    Lines lines;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        Line& line = lines[trace.chain[i]];
        line.points.push_back({static_cast<double>(trace.sweep[i]), values[i]});
        line.kept.push_back(trace.kept[i] != 0 ? 1 : 0);
    }
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

// The first sweeps may lie so far away that everything else would look flat. In that case the frame is three times as
// high as the range of the kept sweeps and the last quarter of burn-in, or as `least_room`. Returns whether something
// lies outside.
bool choose_range(const Lines& lines, double least_room, Extent& range) {
    Extent all, settled;
    for (const auto& [chain, line] : lines) {
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

struct TraceTexts {
    std::string caption, what, y_label, burn_in;
    std::string estimate{};  ///< name of the value across the frame
};

/// `estimate`: a value to mark across the whole frame; NaN: none.
std::string trace_plot(const Trace& trace, const std::vector<double>& values, const TraceTexts& texts,
                       double estimate) {
    Lines lines = lines_of(trace, values);
    if (lines.empty()) return {};
    const std::size_t chains = lines.size();
    if (chains > most_chains) lines.erase(std::next(lines.begin(), most_chains), lines.end());

    Extent range;
    const double least_room = std::isfinite(estimate) ? 0.1 * std::abs(estimate) : 0.0;
    const bool clipped = choose_range(lines, least_room, range);
    if (std::isfinite(estimate)) range.add(estimate);
    const int last = *std::max_element(trace.sweep.begin(), trace.sweep.end());
    double first = last;  // VB has no bound during its start
    for (const auto& [chain, line] : lines) first = std::min(first, line.points.front().x - 1.0);
    const std::vector<plot::Point>& points = lines.begin()->second.points;
    const std::string description =
        fmt::format("{} over sweeps {} to {}, from {} at first to {} in the end", texts.what, first + 1.0, last,
                    number(points.front().y), number(points.back().y));

    plot::Panel panel;
    panel.x = plot::whole_axis(first, last, 6);
    panel.x.name = "sweep";
    panel.y = plot::round_axis(range.least, range.most, 5);
    panel.y.name = texts.y_label;
    if (const int burn_in = burn_in_end(trace); burn_in > first)
        panel.band = {static_cast<double>(burn_in), texts.burn_in};
    if (std::isfinite(estimate)) panel.level = {estimate, texts.estimate};
    for (auto& [chain, line] : lines)
        panel.series.push_back({.label = chains == 1 ? "each sweep" : fmt::format("chain {}", 1LL + chain),
                                .hue = static_cast<plot::Hue>(panel.series.size()),
                                .points = std::move(line.points)});
    std::string remarks;
    if (clipped) remarks += "<p class=\"remark\">The first sweeps lie outside the frame.</p>\n";
    if (chains > lines.size())
        remarks += fmt::format("<p class=\"remark\">The first {} of {} chains are drawn.</p>\n", lines.size(), chains);
    return plot::html_figure({texts.caption, description, std::move(panel), remarks});
}

TraceTexts noise_texts(const Model& model, const std::string& units) {
    const std::string estimate = from_image(model) ? "the noise found before learning" : "the estimate above";
    if (minimises(model))
        return {"Residual: root mean square of what the codes leave of the signals, in each sweep.",
                "Root mean square residual", "residual, " + units, "", estimate};
    std::string caption = "Noise: its standard deviation in each sweep.";
    const bool samples_on_off = model.on_off && kind_of(model) == RunKind::chain;  // its noise needs no re-estimation
    const auto closing = run_option(model, "closing_sweeps");
    if (model.on_off && closing.is_number_integer() && closing > 0) {
        caption +=
            " The last sweeps are those of a short Gibbs chain, which starts at the level of the signals. The estimate "
            "is the mean of its second half.";
        return {caption, "Noise standard deviation", "noise, " + units, "start", estimate};
    }
    // Older files use the second name.
    const bool asked = run_option(model, "reestimate_noise") == true || run_option(model, "second_look") == true;
    if (asked && !samples_on_off)
        caption += " At the end it is re-estimated with codes that can be exactly zero, so the estimate may differ.";
    return {caption, "Noise standard deviation", "noise, " + units,
            kind_of(model) == RunKind::bound ? "start" : "burn-in", estimate};
}

TraceTexts objective_texts(const Model& model) {
    if (streams_posterior(model))
        return {"Estimate of the bound on the log evidence of all signals, from those of each sweep.",
                "Estimate of the bound on the log evidence", "bound, in nats", ""};
    switch (kind_of(model)) {
        case RunKind::chain:
            return {"Log density: a settled chain fluctuates around one level.", "Log density", "log density, in nats",
                    "burn-in"};
        case RunKind::bound:
            return {"Bound on the log evidence: it rises, then levels off.", "Bound on the log evidence",
                    "bound, in nats", "start"};
        case RunKind::rounds:
        case RunKind::stream:
            break;
    }
    return {"Objective, which the method minimises: it falls, then levels off.", "Objective", "objective", ""};
}

}  // namespace

std::string traces(const Model& model) {
    const Trace& trace = model.trace;
    if (trace.sweep.empty()) return {};
    const std::string units = from_image(model) ? "on the image’s scale" : "in the signals’ units";
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return section("traces", "How the run went",
                   trace_plot(trace, trace.noise_sd, noise_texts(model, units), model.noise_sd) +
                       trace_plot(trace, trace.objective, objective_texts(model), none));
}

}  // namespace sbdl::report
