// Coordinates are pixels of the drawing; y grows downwards.
#include "experiments/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "experiments/svg_parts.hpp"

namespace sbdl::svg {

namespace {

constexpr double panel_width = 200, panel_height = 170;
constexpr double gap_x = 44, gap_y = 52;
constexpr double margin_left = 62, margin_top = 92, margin_right = 24;
constexpr double legend_line = 22, legend_columns = 4;
constexpr double headroom = 8;  // above the greatest value, so that marks there are whole

// Colours keep their hue and change their lightness with the page.
constexpr std::string_view style = R"(<style>
  .first { stroke: #0b62c4 } .first-fill { fill: #0b62c4 }
  .second { stroke: #c2500a } .second-fill { fill: #c2500a }
  .ink { stroke: #1f2328 } .ink-fill { fill: #1f2328 }
  @media (prefers-color-scheme: dark) {
    .first { stroke: #58a6ff } .first-fill { fill: #58a6ff }
    .second { stroke: #ff9b4a } .second-fill { fill: #ff9b4a }
    .ink { stroke: #e6edf3 } .ink-fill { fill: #e6edf3 }
  }
</style>
)";

std::string_view name(Colour colour) {
    switch (colour) {
        case Colour::first:
            return "first";
        case Colour::second:
            return "second";
        case Colour::ink:
            break;
    }
    return "ink";
}

void mark(Out out, Mark shape, Colour colour, double x, double y) {
    const std::string_view c = name(colour);
    switch (shape) {
        case Mark::dot:
            fmt::format_to(out, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"{}-fill\"/>\n", x, y, c);
            return;
        case Mark::ring:
            fmt::format_to(out,
                           "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\" fill=\"none\" "
                           "stroke-width=\"1.6\"/>\n",
                           x, y, c);
            return;
        case Mark::box:
            fmt::format_to(out,
                           "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\" class=\"{}\" fill=\"none\" "
                           "stroke-width=\"1.6\"/>\n",
                           x - 4.5, y - 4.5, c);
            return;
        case Mark::bar:
            line(out, x - 11, y, x + 11, y, fmt::format("class=\"{}\" stroke-width=\"2\"", c));
            return;
    }
}

std::string stroke(const Series& series) {
    return fmt::format("class=\"{}\" fill=\"none\" stroke-width=\"{}\"{}", name(series.colour),
                       series.dashed ? "1.4" : "2", series.dashed ? " stroke-dasharray=\"4 3\"" : "");
}

// Where things of one panel go.
struct Axes {
    double left, top;
    double least, most;
    std::size_t categories;

    [[nodiscard]] double x(int category) const {
        return left + panel_width * (category + 0.5) / static_cast<double>(categories);
    }
    [[nodiscard]] double y(double value) const {
        const double share = (std::clamp(value, least, most) - least) / (most - least);
        return top + panel_height - share * (panel_height - headroom);
    }
};

void draw_frame(Out out, const Figure& figure, const Panel& panel, const Axes& axes) {
    text(out, axes.left + panel_width / 2, axes.top - 9,
         "class=\"ink-text\" font-size=\"13\" font-weight=\"600\" text-anchor=\"middle\"", panel.title);
    for (double value = panel.least; value <= panel.most + 1e-9; value += panel.tick) {
        line(out, axes.left, axes.y(value), axes.left + panel_width, axes.y(value), "class=\"grid\"");
        text(out, axes.left - 6, axes.y(value) + 4, "class=\"soft-text\" font-size=\"11\" text-anchor=\"end\"",
             fmt::format("{:g}", value));
    }
    for (std::size_t k = 0; k < figure.categories.size(); ++k)
        text(out, axes.x(static_cast<int>(k)), axes.top + panel_height + 16,
             "class=\"soft-text\" font-size=\"11\" text-anchor=\"middle\"", figure.categories[k]);
    fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", axes.left,
                   axes.top, panel_width, panel_height);
}

void draw_series(Out out, const Series& series, const Axes& axes) {
    if (series.joined && series.points.size() > 1) {
        fmt::format_to(out, "<polyline {} points=\"", stroke(series));
        for (const Point& point : series.points)
            fmt::format_to(out, "{:.1f},{:.1f} ", axes.x(point.category) + series.shift_px, axes.y(point.value));
        fmt::format_to(out, "\"/>\n");
    }
    for (const Point& point : series.points) {
        const double x = axes.x(point.category) + series.shift_px;
        if (point.error > 0)
            line(out, x, axes.y(point.value - point.error), x, axes.y(point.value + point.error),
                 fmt::format("class=\"{}\" stroke-width=\"1.2\"", name(series.colour)));
        mark(out, series.mark, series.colour, x, axes.y(point.value));
    }
}

std::vector<const Series*> legend_of(const Figure& figure) {
    std::vector<const Series*> legend;
    for (const Panel& panel : figure.panels)
        for (const Series& series : panel.series)
            if (!series.points.empty() && std::none_of(legend.begin(), legend.end(), [&](const Series* listed) {
                    return listed->label == series.label;
                }))
                legend.push_back(&series);
    return legend;
}

void draw_legend(Out out, const std::vector<const Series*>& legend, double width, double top) {
    const double column = (width - margin_left - margin_right) / legend_columns;
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const auto place = static_cast<double>(i);
        const double x = margin_left + column * std::fmod(place, legend_columns);
        const double y = top + legend_line * std::floor(place / legend_columns);
        if (legend[i]->joined) line(out, x, y, x + 28, y, stroke(*legend[i]));
        mark(out, legend[i]->mark, legend[i]->colour, x + 14, y);
        text(out, x + 36, y + 4, "class=\"ink-text\" font-size=\"12\"", legend[i]->label);
    }
}

}  // namespace

std::string render(const Figure& figure) {
    const std::vector<const Series*> legend = legend_of(figure);
    const auto rows = std::ceil(static_cast<double>(figure.panels.size()) / figure.columns);
    const double width = margin_left + figure.columns * (panel_width + gap_x) - gap_x + margin_right;
    const double panels_bottom = margin_top + rows * (panel_height + gap_y) - gap_y;
    const double legend_top = panels_bottom + 62;
    const double legend_rows = std::ceil(static_cast<double>(legend.size()) / legend_columns);
    const double height = legend_top + legend_line * legend_rows;

    std::string svg;
    const Out out(svg);
    begin(out, width, height, style, figure.title);
    text(out, margin_left, 30, heading, figure.title);
    text(out, margin_left, 50, remark, figure.subtitle);

    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const Panel& panel = figure.panels[i];
        const std::size_t row = i / static_cast<std::size_t>(figure.columns);
        const std::size_t column = i % static_cast<std::size_t>(figure.columns);
        const Axes axes{margin_left + static_cast<double>(column) * (panel_width + gap_x),
                        margin_top + static_cast<double>(row) * (panel_height + gap_y), panel.least, panel.most,
                        figure.categories.size()};
        draw_frame(out, figure, panel, axes);
        for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series)
            draw_series(out, *series, axes);
    }

    text(out, margin_left + (width - margin_left - margin_right) / 2, panels_bottom + 38,
         "class=\"ink-text\" font-size=\"12\" text-anchor=\"middle\"", figure.category_label);
    const double middle = (margin_top + panels_bottom) / 2;
    text(out, 18, middle,
         fmt::format("class=\"ink-text\" font-size=\"12\" text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"",
                     middle),
         figure.value_label);
    draw_legend(out, legend, width, legend_top);
    svg += "</svg>\n";
    return svg;
}

}  // namespace sbdl::svg
