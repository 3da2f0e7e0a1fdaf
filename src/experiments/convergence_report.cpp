// The convergence run as CSV, as Markdown with the seconds to half and to nearly all atoms, and as a plot.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/convergence.hpp"
#include "experiments/curve_plot.hpp"
#include "experiments/table1.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/version.hpp"

namespace sbdl::convergence {
namespace {

constexpr std::array told_percents{50.0, 90.0, 95.0};

struct CurveLook {
    int family, member;
};

// A family a kind of method: ours, the other sampler, those with a pursuit, those with l1 norms, those of a stream.
CurveLook look_of(Table1Row row) {
    switch (row) {
        case Table1Row::gibbs:
            return {0, 0};
        case Table1Row::vb:
            return {0, 1};
        case Table1Row::gibbs_paper:
            return {0, 2};
        case Table1Row::vb_paper:
            return {0, 3};
        case Table1Row::bpfa:
            return {1, 0};
        case Table1Row::ksvd:
            return {2, 0};
        case Table1Row::mod:
            return {2, 1};
        case Table1Row::simco:
            return {2, 2};
        case Table1Row::apru_f:
            return {3, 0};
        case Table1Row::apru_l:
            return {3, 1};
        case Table1Row::majorization:
            return {3, 2};
        case Table1Row::online:
            return {4, 0};
        case Table1Row::rls:
            return {4, 1};
        case Table1Row::sgd:
            return {4, 2};
    }
    return {4, 3};
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
            fmt::format_to(ReportOut(text), "{},{},{:.6g},{:.6g},{:.6g}\n", to_string(curve.row), point.sweep,
                           point.seconds, point.nearest_percent, point.assigned_percent);
    return text;
}

std::string markdown_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options) {
    std::string text = "# Convergence: atoms found against seconds\n\n";
    const ReportOut out(text);
    if (!options.command.empty()) fmt::format_to(out, "```\n{}\n```\n\n", options.command);
    fmt::format_to(out, "- Program: sbdl {}\n", options.program.empty() ? version() : options.program);
    fmt::format_to(out, "- Set: {}; that of Table I's first trial with seed {}\n", set_text(options), options.seed);
    if (!options.date.empty()) fmt::format_to(out, "- Date: {}\n", options.date);
    if (!options.machine.empty()) fmt::format_to(out, "- Machine: {}\n", options.machine);
    fmt::format_to(
        out,
        "\nAll methods learn from one and the same set with the options of Table I, one after the other, on one "
        "thread. Now and then the dictionary that a method would leave if it ended there is compared with the "
        "truth. Seconds are those of the processor, without the comparing: other programs do not disturb them, "
        "and on a free core they pass on the clock as well. An atom is found when some learned atom has 1 - "
        "|cos| < {} to it. One set is one set: an atom is {:g} %, and Table I has the averages.\n\n"
        "![Atoms found against seconds](convergence.svg)\n\n",
        table1::recovery_threshold, 100.0 / table1::atom_count);
    fmt::format_to(out, "Seconds until so many of the atoms were found for the first time:\n\n| method |");
    for (const double percent : told_percents) fmt::format_to(out, " {:g} % |", percent);
    fmt::format_to(out, " at the end | seconds | sweeps |\n|:--|--:|--:|--:|--:|--:|--:|\n");
    for (const ConvergenceCurve& curve : curves) {
        const bool told = !table1::facts_of(curve.row).told.empty();
        fmt::format_to(out, "| {}{} |", to_string(curve.row), told ? ", told" : "");
        for (const double percent : told_percents) {
            const std::optional<double> seconds = curve.seconds_to(percent);
            fmt::format_to(out, " {} |", seconds ? seconds_text(*seconds) : "never");
        }
        const ConvergencePoint& end = curve.points.back();
        fmt::format_to(out, " {:g} % | {} | {} |\n", end.nearest_percent, seconds_text(end.seconds), end.sweep);
    }
    fmt::format_to(out, "\n*told*: the method was told the sparsity or its weights, as in Table I.\n");
    return text;
}

std::string svg_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options) {
    svg::CurveFigure figure;
    figure.title = "Atoms found against seconds";
    figure.subtitle = fmt::format("One set: {}. Each method with its options of Table I.", set_text(options));
    figure.x_label = "seconds of one core";
    figure.y_label = "atoms found (%)";
    for (const ConvergenceCurve& curve : curves) {
        const CurveLook look = look_of(curve.row);
        svg::Curve drawn{
            .label = std::string(to_string(curve.row)), .family = look.family, .member = look.member, .points = {}};
        for (const ConvergencePoint& point : curve.points)
            drawn.points.emplace_back(std::max(point.seconds, 1e-6), point.nearest_percent);  // a clock's tick
        figure.curves.push_back(std::move(drawn));
    }
    return svg::render(figure);
}

}  // namespace sbdl::convergence
