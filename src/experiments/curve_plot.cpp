#include "experiments/curve_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/svg_parts.hpp"

namespace sbdl::svg {
namespace {

constexpr double plot_width = 680, plot_height = 430;
constexpr double plot_left = 62, plot_top = 74;
constexpr double legend_left = plot_left + plot_width + 24, legend_width = 150, legend_step = 22;
constexpr double below = 58;
constexpr int most_y = 100, tick_y = 20;
constexpr double marks_apart = 110;  // pixels, along the axis
constexpr double mark_size = 4.2;

constexpr std::string_view curve_style = R"(<style>
  .c0 { stroke: #0b62c4; fill: #0b62c4 } .c1 { stroke: #8a3ab9; fill: #8a3ab9 } .c2 { stroke: #1a7f37; fill: #1a7f37 }
  .c3 { stroke: #c2500a; fill: #c2500a } .c4 { stroke: #4d555e; fill: #4d555e }
  @media (prefers-color-scheme: dark) {
    .c0 { stroke: #58a6ff; fill: #58a6ff } .c1 { stroke: #c58cf0; fill: #c58cf0 } .c2 { stroke: #4ac26b; fill: #4ac26b }
    .c3 { stroke: #ff9b4a; fill: #ff9b4a } .c4 { stroke: #b1bac4; fill: #b1bac4 }
  }
</style>
)";
constexpr std::array<std::string_view, 4> dashes{"", "8 4", "2 3", "9 3 2 3"};

std::string curve_stroke(const Curve& curve) {
    const std::string_view dash = dashes[static_cast<std::size_t>(curve.member) % dashes.size()];
    return fmt::format("class=\"c{}\" style=\"fill: none\" stroke-width=\"1.9\"{}", curve.family,
                       dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

void family_mark(Out out, int family, double x, double y) {
    constexpr double r = mark_size;
    std::string shape;
    switch (family) {
        case 0:  // disc
            shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", x, y, r);
            break;
        case 1:  // diamond
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}l{r} {r} -{r} {r} -{r} -{r}z\"", x, y - 1.3 * r,
                                fmt::arg("r", 1.3 * r));
            break;
        case 2:  // open box
            shape = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{s}\" height=\"{s}\" style=\"fill: none\"",
                                x - r, y - r, fmt::arg("s", 2 * r));
            break;
        case 3:  // triangle
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}l{} {h} h-{}z\"", x, y - 1.2 * r, 1.2 * r, 2.4 * r,
                                fmt::arg("h", 2.1 * r));
            break;
        default:  // cross
            shape =
                fmt::format("<path d=\"M{:.1f} {:.1f}l{s} {s}m0 -{s}l-{s} {s}\"", x - r, y - r, fmt::arg("s", 2 * r));
    }
    fmt::format_to(out, "{} class=\"c{}\" stroke-width=\"1.6\"/>\n", shape, family);
}

/// From where the first curve starts to where the last one ends, and a decade at least.
struct TimeAxis {
    double first, last;  // powers of ten

    explicit TimeAxis(const std::vector<Curve>& curves) {
        double least = 1.0, most = 1.0;
        bool any = false;
        for (const Curve& curve : curves)
            for (const auto& [x, y] : curve.points) {
                least = any ? std::min(least, x) : x;
                most = any ? std::max(most, x) : x;
                any = true;
            }
        first = std::log10(least) - 0.02;
        last = std::max(first + 1.0, std::log10(most) + 0.02);
    }
    [[nodiscard]] double x(double value) const {
        return plot_left + plot_width * (std::log10(value) - first) / (last - first);
    }
};

double height_of(double value) {
    return plot_top + plot_height * (1.0 - std::clamp(value, 0.0, double(most_y)) / most_y);
}

void draw_axes(Out out, const CurveFigure& figure, const TimeAxis& axis) {
    const double bottom = plot_top + plot_height;
    for (int value = 0; value <= most_y; value += tick_y) {
        line(out, plot_left, height_of(value), plot_left + plot_width, height_of(value), "class=\"grid\"");
        text(out, plot_left - 6, height_of(value) + 4, R"(class="soft-text" font-size="11" text-anchor="end")",
             fmt::to_string(value));
    }
    for (int decade = static_cast<int>(std::ceil(axis.first)); decade <= axis.last; ++decade) {
        const double at = axis.x(std::pow(10.0, decade));
        line(out, at, plot_top, at, bottom, "class=\"grid\"");
        text(out, at, bottom + 16, R"(class="soft-text" font-size="11" text-anchor="middle")",
             fmt::format("{:g}", std::pow(10.0, decade)));
    }
    fmt::format_to(out, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", plot_left, plot_top,
                   plot_width, plot_height);
    text(out, plot_left + plot_width / 2, bottom + 38, R"(class="ink-text" font-size="12" text-anchor="middle")",
         figure.x_label);
    const double middle = plot_top + plot_height / 2;
    text(out, 18, middle,
         fmt::format(R"-(class="ink-text" font-size="12" text-anchor="middle" transform="rotate(-90 18 {:.1f})")-",
                     middle),
         figure.y_label);
}

/// `offset`: where marks begin, so that curves on top of each other do not hide each other's.
void draw_curve(Out out, const Curve& curve, const TimeAxis& axis, double offset) {
    fmt::format_to(out, "<polyline {} points=\"", curve_stroke(curve));
    for (const auto& [x, y] : curve.points) fmt::format_to(out, "{:.1f},{:.1f} ", axis.x(x), height_of(y));
    fmt::format_to(out, "\"/>\n");
    double next = axis.x(curve.points.front().first) + offset;
    for (const auto& [x, y] : curve.points) {
        const bool end = &y == &curve.points.back().second;
        if (axis.x(x) < next && !end) continue;
        family_mark(out, curve.family, axis.x(x), height_of(y));
        next = axis.x(x) + marks_apart;
    }
}

}  // namespace

std::string render(const CurveFigure& figure) {
    std::string svg;
    const Out out(svg);
    const double legend_height = legend_step * static_cast<double>(figure.curves.size());
    const double height = plot_top + std::max(plot_height, legend_height) + below;
    begin(out, legend_left + legend_width, height, curve_style, figure.title);
    text(out, plot_left, 30, heading, figure.title);
    text(out, plot_left, 50, remark, figure.subtitle);
    const TimeAxis axis(figure.curves);
    draw_axes(out, figure, axis);
    for (std::size_t i = figure.curves.size(); i-- > 0;)
        if (!figure.curves[i].points.empty())
            draw_curve(out, figure.curves[i], axis, marks_apart * static_cast<double>(i % 4) / 4.0);
    for (std::size_t i = 0; i < figure.curves.size(); ++i) {
        const double y = plot_top + 10 + legend_step * static_cast<double>(i);
        line(out, legend_left, y, legend_left + 38, y, curve_stroke(figure.curves[i]));
        family_mark(out, figure.curves[i].family, legend_left + 19, y);
        text(out, legend_left + 46, y + 4, R"(class="ink-text" font-size="12")", figure.curves[i].label);
    }
    svg += "</svg>\n";
    return svg;
}

}  // namespace sbdl::svg
