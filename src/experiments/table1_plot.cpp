// Table I as an image: a panel for each L and SNR, our rows as lines over K, the paper's numbers as open marks.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/svg_plot.hpp"
#include "experiments/table1.hpp"

namespace sbdl::table1 {

namespace {

constexpr int sparsities = 4;  // cells in a panel
constexpr int snrs = 4;        // panels in a line

struct RowLook {
    Table1Row row;
    const char* label;
    svg::Colour colour;
    bool dashed;
    double shift_px;
};
// Colour tells the method, dashes the preset.
constexpr double apart_px = 3.0;
constexpr std::array row_looks{
    RowLook{Table1Row::gibbs, "gibbs (± 2 s.e.)", svg::Colour::first, false, -apart_px},
    RowLook{Table1Row::vb, "vb (± 2 s.e.)", svg::Colour::second, false, apart_px},
    RowLook{Table1Row::gibbs_paper, "gibbs, preset paper", svg::Colour::first, true, -apart_px},
    RowLook{Table1Row::vb_paper, "vb, preset paper", svg::Colour::second, true, apart_px}};

svg::Series our_series(const RowLook& look, const std::vector<Table1Entry>& entries, const Table1Cell* cells) {
    svg::Series series{.label = look.label,
                       .colour = look.colour,
                       .mark = svg::Mark::dot,
                       .joined = true,
                       .dashed = look.dashed,
                       .shift_px = look.shift_px,
                       .points = {}};
    for (int k = 0; k < sparsities; ++k)
        for (const Table1Entry& entry : entries)
            if (entry.row == look.row && entry.cell == cells[k])
                series.points.push_back(
                    {k, entry.nearest_percent.mean, look.dashed ? 0.0 : 2.0 * entry.nearest_percent.spread});
    return series;
}

template <class Percent>
svg::Series paper_series(const char* label, svg::Colour colour, svg::Mark mark, double shift_px,
                         const Table1Cell* cells, const Percent& percent) {
    svg::Series series{.label = label, .colour = colour, .mark = mark, .shift_px = shift_px, .points = {}};
    for (int k = 0; k < sparsities; ++k) series.points.push_back({k, percent(cells[k]), 0.0});
    return series;
}

svg::Panel panel(const std::vector<Table1Entry>& entries, const Table1Cell* cells) {
    svg::Panel result;
    result.title = fmt::format("L = {}, {} dB", cells->signals, cells->snr_db);
    for (const RowLook& look : row_looks) result.series.push_back(our_series(look, entries, cells));
    result.series.push_back(
        paper_series("paper: SBDL-Gibbs", svg::Colour::first, svg::Mark::ring, -apart_px, cells,
                     [](const Table1Cell& cell) { return paper_percent(cell, PaperMethod::sbdl_gibbs); }));
    result.series.push_back(
        paper_series("paper: SBDL-VB", svg::Colour::second, svg::Mark::box, apart_px, cells,
                     [](const Table1Cell& cell) { return paper_percent(cell, PaperMethod::sbdl_vb); }));
    result.series.push_back(paper_series("paper: best of all methods", svg::Colour::ink, svg::Mark::bar, 0, cells,
                                         [](const Table1Cell& cell) { return paper_best(cell).percent; }));
    return result;
}

// Panels of one SNR share their scale, from a round number below their least value up to 100.
void scale_column(std::vector<svg::Panel>& panels, std::size_t column) {
    double least = 100.0;
    for (std::size_t i = column; i < panels.size(); i += snrs)
        for (const svg::Series& series : panels[i].series)
            for (const svg::Point& point : series.points) least = std::min(least, point.value);
    const double step = least > 51.0 ? 10.0 : 20.0;
    const double start = std::max(0.0, step * std::floor((least - 1.0) / step));
    const double range = 100.0 - start;
    for (std::size_t i = column; i < panels.size(); i += snrs) {
        panels[i].least = start;
        panels[i].tick = range <= 10.0 ? 2.0 : range <= 20.0 ? 5.0 : step;
    }
}

}  // namespace

std::string svg_report(const std::vector<Table1Entry>& entries) {
    svg::Figure figure;
    figure.title = "Table I: atoms recovered, ours and the paper's";
    figure.subtitle = fmt::format(
        "{} x {} dictionary; mean over the trials. Each signal to noise ratio has a vertical scale of its own.",
        signal_dim, atom_count);
    figure.category_label = "K, atoms in a signal";
    figure.value_label = "recovered (%)";
    figure.categories = {"3", "4", "5", "3:6"};
    figure.columns = snrs;
    for (std::size_t i = 0; i < table1_cells().size(); i += sparsities)
        figure.panels.push_back(panel(entries, &table1_cells()[i]));
    for (std::size_t column = 0; column < snrs; ++column) scale_column(figure.panels, column);
    return svg::render(figure);
}

}  // namespace sbdl::table1
