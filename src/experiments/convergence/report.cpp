// The convergence run as CSV, as Markdown with the seconds to half and to nearly all atoms, and as a plot.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "experiments/convergence/convergence.hpp"
#include "experiments/table1/table1.hpp"
#include "plot/svg_figure.hpp"

namespace sbdl::convergence {
namespace {

constexpr std::array reported_percents{50.0, 90.0, 95.0};

struct CurveLook {
    plot::Hue hue;
    plot::Mark mark;
    plot::Stroke stroke;
};

// Methods of one kind share hue and mark and differ in their strokes: ours, the other sampler, those with a pursuit,
// those with l1 norms, those for streams. This distinguishes them without colours, too. Rows that are not of our table
// are ink.
CurveLook look_of(std::string_view row) {
    using plot::Hue, plot::Mark, plot::Stroke;
    constexpr std::array<std::pair<std::string_view, CurveLook>, 14> own{{
        {"gibbs", {Hue::blue, Mark::disc, Stroke::solid}},
        {"gibbs-paper", {Hue::blue, Mark::disc, Stroke::dotted}},
        {"vb", {Hue::blue, Mark::disc, Stroke::dashed}},
        {"vb-paper", {Hue::blue, Mark::disc, Stroke::dash_dotted}},
        {"ksvd", {Hue::green, Mark::box, Stroke::solid}},
        {"bpfa", {Hue::purple, Mark::diamond, Stroke::solid}},
        {"apru-f", {Hue::orange, Mark::triangle, Stroke::solid}},
        {"apru-l", {Hue::orange, Mark::triangle, Stroke::dashed}},
        {"mod", {Hue::green, Mark::box, Stroke::dashed}},
        {"simco", {Hue::green, Mark::box, Stroke::dotted}},
        {"majorization", {Hue::orange, Mark::triangle, Stroke::dotted}},
        {"online", {Hue::brown, Mark::cross, Stroke::solid}},
        {"rls", {Hue::brown, Mark::cross, Stroke::dashed}},
        {"sgd", {Hue::brown, Mark::cross, Stroke::dotted}},
    }};
    constexpr std::array others{Stroke::solid, Stroke::dashed, Stroke::dotted, Stroke::dash_dotted};
    for (const auto& [name, look] : own)
        if (name == row) return look;
    return {Hue::ink, Mark::ring, others[table1::index_of_row(row) % others.size()]};
}

std::string seconds_text(double seconds) {
    return seconds < 0.1 ? fmt::format("{:.3f}", seconds) : fmt::format("{:.2f}", seconds);
}

std::string set_text(const ConvergenceOptions& options) {
    return fmt::format("{} signals, {} atoms of length {}, {} dB, K = {}", options.cell.signals, table1::atom_count,
                       table1::signal_dim, options.cell.snr_db, table1::sparsity_name(options.cell));
}

}  // namespace

std::string csv_report(const std::vector<ConvergenceCurve>& curves) {
    std::string text = "row,sweep,seconds,nearest_percent,assigned_percent\n";
    for (const ConvergenceCurve& curve : curves)
        for (const ConvergencePoint& point : curve.points)
            append_format(text, "{},{},{:.6g},{:.6g},{:.6g}\n", curve.row, point.sweep, point.seconds,
                          point.nearest_percent, point.assigned_percent);
    return text;
}

std::string markdown_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options) {
    std::string text = "# Convergence: atoms found against seconds\n\n";
    if (!options.command.empty()) append_format(text, "```\n{}\n```\n\n", options.command);
    append_format(text, "- Program: sbdl {}\n", options.program_or_version());
    append_format(text, "- Data set: {}; that of Table I's first trial with seed {}\n", set_text(options),
                  options.seed);
    if (!options.date.empty()) append_format(text, "- Date: {}\n", options.date);
    if (!options.machine.empty()) append_format(text, "- Machine: {}\n", options.machine);
    append_format(
        text,
        "\nAll methods learn from the same data set with the options of Table I, one after the other, on one "
        "thread. At some of the sweeps the dictionary that the method would return if it stopped there is "
        "compared with the truth. Seconds are processor time, without these comparisons; other programs do not "
        "affect them. An atom is found when some learned atom has 1 - |cos| < {} to it. This is a single data "
        "set, in which one atom is {:g} %; Table I has averages.\n\n"
        "![Atoms found against seconds](convergence.svg)\n\n",
        table1::recovery_threshold, 100.0 / table1::atom_count);
    append_format(text, "Seconds until that many of the atoms were found for the first time:\n\n| method |");
    for (const double percent : reported_percents) append_format(text, " {:g} % |", percent);
    append_format(text, " at the end | seconds | sweeps |\n|:--|--:|--:|--:|--:|--:|--:|\n");
    for (const ConvergenceCurve& curve : curves) {
        append_format(text, "| {} |", table1::name_and_given(table1::facts_of(curve.row)));
        for (const double percent : reported_percents) {
            const std::optional<double> seconds = curve.seconds_to(percent);
            append_format(text, " {} |", seconds ? seconds_text(*seconds) : "never");
        }
        const ConvergencePoint& end = curve.points.back();
        append_format(text, " {:g} % | {} | {} |\n", end.nearest_percent, seconds_text(end.seconds), end.sweep);
    }
    append_format(text, "\nAs in Table I, some methods were given the sparsity K or their weights.\n");
    return text;
}

std::string svg_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options) {
    constexpr double clock_tick = 1e-6;
    plot::Panel panel;
    double least = std::numeric_limits<double>::infinity(), most = clock_tick;
    for (const ConvergenceCurve& curve : curves) {
        const auto [hue, mark, stroke] = look_of(curve.row);
        plot::Series series{
            .label = curve.row, .hue = hue, .stroke = stroke, .mark = mark, .few_marks = true, .points = {}};
        for (const ConvergencePoint& point : curve.points) {
            const double seconds = std::max(point.seconds, clock_tick);
            least = std::min(least, seconds);
            most = std::max(most, seconds);
            series.points.push_back({seconds, point.nearest_percent});
        }
        panel.series.push_back(std::move(series));
    }
    panel.x = plot::log_axis(std::min(least, most), most);
    panel.x.name = "seconds of one core";
    panel.y = plot::percent_axis(0.0, 20.0);
    panel.y.name = "atoms found (%)";
    return plot::svg_figure(
        {.title = "Atoms found against seconds",
         .subtitle = fmt::format("One data set: {}. Each method with its options of Table I.", set_text(options)),
         .panel_width = 760.0,
         .panel_height = 430.0,
         .panels = {std::move(panel)}});
}

}  // namespace sbdl::convergence
