// Coordinates are pixels of the drawing; y grows downwards.
#include "plot/svg_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/append_format.hpp"
#include "base/markup.hpp"
#include "plot/style.hpp"

namespace sbdl::plot {
namespace {

constexpr double gap_x = 44, gap_y = 52;
constexpr double margin_left = 62, margin_right = 24, margin_top = 74, panel_title = 18;
constexpr double legend_line = 22, legend_columns = 4, legend_gap = 8;

constexpr std::string_view heading = R"(class="ink" font-size="18" font-weight="600")";
constexpr std::string_view remark = R"(font-size="12")";
constexpr std::string_view panel_heading = R"(class="ink" font-size="13" font-weight="600" text-anchor="middle")";
constexpr std::string_view axis_title = R"(class="ink" font-size="12" text-anchor="middle")";

constexpr std::string_view text_style = R"(
text { fill: #5a636e; }
text.ink { fill: #1c2127; }
.page { fill: #ffffff; }
.frame { fill: none; stroke: #8c959f; }
@media screen and (prefers-color-scheme: dark) {
    text { fill: #9aa4b0; }
    text.ink { fill: #e3e7ec; }
    .page { fill: #0d1117; }
    .frame { stroke: #6e7681; }
}
)";

void text(std::string& out, double x, double y, std::string_view attributes, std::string_view words) {
    append_format(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(words));
}

void draw_panel(std::string& out, const Panel& panel, const Frame& frame) {
    const double bottom = frame.top + frame.height;
    if (!panel.title.empty()) text(out, frame.left + frame.width / 2, frame.top - 9, panel_heading, panel.title);
    for (const Tick& tick : panel.y.ticks)
        text(out, frame.left - 6, frame.y(panel.y, tick.value) + 4, R"(font-size="11" text-anchor="end")", tick.label);
    for (const Tick& tick : panel.x.ticks)
        text(out, frame.x(panel.x, tick.value), bottom + 16, R"(font-size="11" text-anchor="middle")", tick.label);
    append_format(out, "{}<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n{}",
                  shapes(panel, frame), frame.left, frame.top, frame.width, frame.height, marks(panel, frame));
}

std::vector<const Series*> legend_of(const SvgFigure& figure) {
    std::vector<const Series*> legend;
    for (const Panel& panel : figure.panels)
        for (const Series& series : panel.series) {
            const bool listed = std::any_of(legend.begin(), legend.end(),
                                            [&](const Series* other) { return other->label == series.label; });
            if (!series.points.empty() && !listed) legend.push_back(&series);
        }
    return legend;
}

void draw_legend(std::string& out, const std::vector<const Series*>& legend, double width, double top) {
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const auto place = static_cast<double>(i);
        const double x = margin_left + width / legend_columns * std::fmod(place, legend_columns);
        const double y = top + legend_line * std::floor(place / legend_columns);
        append_format(out, "{}", sample(*legend[i], x, y));
        text(out, x + sample_width + legend_gap, y + 4, R"(class="ink" font-size="12")", legend[i]->label);
    }
}

}  // namespace

std::string svg_figure(const SvgFigure& figure) {
    const std::vector<const Series*> legend = legend_of(figure);
    const auto columns = static_cast<double>(figure.columns);
    const double rows = std::ceil(static_cast<double>(figure.panels.size()) / columns);
    const bool titled = std::any_of(figure.panels.begin(), figure.panels.end(),
                                    [](const Panel& panel) { return !panel.title.empty(); });
    const double across = columns * (figure.panel_width + gap_x) - gap_x;
    const double top = margin_top + (titled ? panel_title : 0.0);
    const double bottom = top + rows * (figure.panel_height + gap_y) - gap_y;
    const double legend_top = bottom + 62;
    const double legend_rows = std::ceil(static_cast<double>(legend.size()) / legend_columns);
    const double width = margin_left + across + margin_right, height = legend_top + legend_line * legend_rows;

    std::string svg;
    append_format(svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                  "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, 'DejaVu Sans', Helvetica, sans-serif\">\n"
                  "<title>{2}</title>\n<style>\n{3}{4}</style>\n<rect class=\"page\" width=\"100%\" "
                  "height=\"100%\"/>\n",
                  width, height, escaped(figure.title), style(), text_style);
    text(svg, margin_left, 30, heading, figure.title);
    text(svg, margin_left, 50, remark, figure.subtitle);
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(figure.columns);
        const std::size_t column = i % static_cast<std::size_t>(figure.columns);
        draw_panel(
            svg, figure.panels[i],
            {margin_left + static_cast<double>(column) * (figure.panel_width + gap_x),
             top + static_cast<double>(row) * (figure.panel_height + gap_y), figure.panel_width, figure.panel_height});
    }
    if (!figure.panels.empty()) {
        const double middle = (top + bottom) / 2;
        text(svg, margin_left + across / 2, bottom + 38, axis_title, figure.panels.front().x.title());
        text(svg, 18, middle, fmt::format("{} transform=\"rotate(-90 18 {:.1f})\"", axis_title, middle),
             figure.panels.front().y.title());
    }
    draw_legend(svg, legend, across, legend_top);
    return svg + "</svg>\n";
}

}  // namespace sbdl::plot
