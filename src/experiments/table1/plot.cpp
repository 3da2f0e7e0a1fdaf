// Table I as a plot: a panel for each L and SNR, our rows as lines over K, the paper's numbers as open marks.
#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/table1/table1.hpp"
#include "plot/svg_figure.hpp"

namespace sbdl::table1 {

namespace {

constexpr int sparsities = 4;  // cells per panel
constexpr int snrs = 4;        // panels per row

struct RowLook {
    std::string_view row;
    const char* label;
    plot::Hue hue;
    plot::Stroke stroke;
    double shift;
};
// The hue shows the method, the stroke the preset.
constexpr double apart = 3.0;  // pixels
constexpr std::array row_looks{
    RowLook{"gibbs", "gibbs (± 2 s.e.)", plot::Hue::blue, plot::Stroke::solid, -apart},
    RowLook{"vb", "vb (± 2 s.e.)", plot::Hue::orange, plot::Stroke::solid, apart},
    RowLook{"gibbs-paper", "gibbs, preset paper", plot::Hue::blue, plot::Stroke::dashed, -apart},
    RowLook{"vb-paper", "vb, preset paper", plot::Hue::orange, plot::Stroke::dashed, apart}};

struct PaperLook {
    std::optional<PaperMethod> method;  // none: the best of all
    const char* label;
    plot::Hue hue;
    plot::Mark mark;
    double shift;
};
constexpr std::array paper_looks{
    PaperLook{PaperMethod::sbdl_gibbs, "paper: SBDL-Gibbs", plot::Hue::blue, plot::Mark::ring, -apart},
    PaperLook{PaperMethod::sbdl_vb, "paper: SBDL-VB", plot::Hue::orange, plot::Mark::box, apart},
    PaperLook{{}, "paper: best of all methods", plot::Hue::ink, plot::Mark::dash, 0.0}};

plot::Panel panel_of(const std::vector<Table1Entry>& entries, const Table1Cell* cells) {
    plot::Panel panel;
    panel.title = fmt::format("L = {}, {} dB", cells->signals, cells->snr_db);
    panel.x = plot::category_axis({"3", "4", "5", "3:6"});
    panel.x.name = "K, atoms in a signal";
    for (const auto& [row, label, hue, stroke, shift] : row_looks) {
        plot::Series& series = panel.series.emplace_back(plot::Series{
            .label = label, .hue = hue, .stroke = stroke, .mark = plot::Mark::disc, .shift = shift, .points = {}});
        const bool whiskers = stroke == plot::Stroke::solid;
        for (int k = 0; k < sparsities; ++k)
            for (const Table1Entry& entry : entries)
                if (entry.row == row && entry.cell == cells[k])
                    series.points.push_back({static_cast<double>(k), entry.nearest_percent.mean,
                                             whiskers ? 2.0 * entry.nearest_percent.spread : 0.0});
    }
    for (const auto& [method, label, hue, mark, shift] : paper_looks) {
        plot::Series& series = panel.series.emplace_back(plot::Series{
            .label = label, .hue = hue, .stroke = plot::Stroke::none, .mark = mark, .shift = shift, .points = {}});
        for (int k = 0; k < sparsities; ++k)
            series.points.push_back(
                {static_cast<double>(k), method ? paper_percent(cells[k], *method) : paper_best(cells[k]).percent});
    }
    return panel;
}

// Panels of one SNR share their scale, from a round number below their least value up to 100.
void scale_column(std::vector<plot::Panel>& panels, std::size_t column) {
    double least = 100.0;
    for (std::size_t i = column; i < panels.size(); i += snrs)
        for (const plot::Series& series : panels[i].series)
            for (const plot::Point& point : series.points) least = std::min(least, point.y);
    const double step = least > 51.0 ? 10.0 : 20.0;
    const double start = std::max(0.0, step * std::floor((least - 1.0) / step));
    const double range = 100.0 - start;
    for (std::size_t i = column; i < panels.size(); i += snrs) {
        panels[i].y = plot::percent_axis(start, range <= 10.0 ? 2.0 : range <= 20.0 ? 5.0 : step);
        panels[i].y.name = "recovered (%)";
    }
}

}  // namespace

std::string svg_report(const std::vector<Table1Entry>& entries) {
    plot::SvgFigure figure;
    figure.title = "Table I: atoms recovered, ours and the paper's";
    figure.subtitle = fmt::format(
        "{} x {} dictionary; mean over the trials. Each signal to noise ratio has a vertical scale of its own.",
        signal_dim, atom_count);
    figure.columns = snrs;
    for (std::size_t i = 0; i < table1_cells().size(); i += sparsities)
        figure.panels.push_back(panel_of(entries, &table1_cells()[i]));
    for (std::size_t column = 0; column < snrs; ++column) scale_column(figure.panels, column);
    return plot::svg_figure(figure);
}

}  // namespace sbdl::table1
