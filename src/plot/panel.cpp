#include "plot/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/append_format.hpp"
#include "base/markup.hpp"
#include "plot/thinning.hpp"

namespace sbdl::plot {
namespace {

constexpr std::size_t most_points = 2000;  // drawn of one line
constexpr double few_marks_apart = 110.0;

std::string_view name_of(Hue hue) {
    constexpr std::array<std::string_view, hue_count + 1> names{"blue", "orange", "green", "purple", "gold",
                                                                "red",  "steel",  "brown", "ink"};
    return names[static_cast<std::size_t>(hue)];
}

std::string_view class_of(Stroke stroke) {
    constexpr std::array<std::string_view, 5> names{"", "", " dashed", " dotted", " dash-dotted"};
    return names[static_cast<std::size_t>(stroke)];
}

std::string mark_at(const Series& series, double x, double y) {
    constexpr double r = 4.0;
    std::string shape;
    switch (series.mark) {
        case Mark::none:
            return {};
        case Mark::disc:
            shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", x, y, 0.7 * r);
            break;
        case Mark::ring:
            shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", x, y, 1.2 * r);
            break;
        case Mark::box:
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}h{s}v{s}h-{s}z\"", x - r, y - r, fmt::arg("s", 2 * r));
            break;
        case Mark::diamond:
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}l{s} {s} -{s} {s} -{s} -{s}z\"", x, y - 1.2 * r,
                                fmt::arg("s", 1.2 * r));
            break;
        case Mark::triangle:
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}l{} {}h-{}z\"", x, y - 1.1 * r, 1.1 * r, 1.9 * r, 2.2 * r);
            break;
        case Mark::cross:
            shape =
                fmt::format("<path d=\"M{:.1f} {:.1f}l{s} {s}m0 -{s}l-{s} {s}\"", x - r, y - r, fmt::arg("s", 2 * r));
            break;
        case Mark::dash:
            shape = fmt::format("<path d=\"M{:.1f} {:.1f}h{}\"", x - 2.5 * r, y, 5 * r);
    }
    const bool open = series.mark == Mark::ring || series.mark == Mark::box;
    return fmt::format("{} class=\"mark hue-{}{}\"/>\n", shape, name_of(series.hue), open ? " open" : "");
}

void draw_grid(std::string& out, const Panel& panel, const Frame& frame) {
    append_format(out, "<path class=\"grid\" d=\"");
    for (const Tick& tick : panel.y.ticks)
        append_format(out, "M{:.1f} {:.1f}h{:.1f}", frame.left, frame.y(panel.y, tick.value), frame.width);
    if (panel.x.logarithmic)
        for (const Tick& tick : panel.x.ticks)
            append_format(out, "M{:.1f} {:.1f}v{:.1f}", frame.x(panel.x, tick.value), frame.top, frame.height);
    append_format(out, "\"/>\n");
}

void draw_line(std::string& out, const Series& series, const Panel& panel, const Frame& frame) {
    if (series.stroke == Stroke::none || series.points.empty()) return;
    append_format(out, "<path class=\"{}\" d=\"", line_class(series));
    char command = 'M';
    for (const Point& point : thinned(series.points, most_points)) {
        append_format(out, "{}{:.1f} {:.1f}", command, frame.x(panel.x, point.x) + series.shift,
                      frame.y(panel.y, point.y));
        command = 'L';
    }
    // A single point is a dot: a line of no length with round ends.
    append_format(out, "{}\"/>\n", series.points.size() == 1 ? "h0" : "");
}

void draw_bar(std::string& out, const Bar& bar, const Panel& panel, const Frame& frame) {
    const double left = frame.x(panel.x, bar.from), top = frame.y(panel.y, bar.value);
    append_format(out,
                  "<rect class=\"bar hue-blue\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
                  "<title>{}</title></rect>\n",
                  left, top, frame.x(panel.x, bar.to) - left, frame.top + frame.height - top, escaped(bar.title));
}

void draw_marks(std::string& out, const Series& series, std::size_t place, const Panel& panel, const Frame& frame) {
    // Series on top of each other do not hide each other's few marks: those of each begin elsewhere.
    double next = frame.left + few_marks_apart * static_cast<double>(place % 4) / 4.0;
    for (const Point& point : series.points) {
        const double x = frame.x(panel.x, point.x) + series.shift;
        if (series.few_marks && x < next && &point != &series.points.back()) continue;
        next = x + few_marks_apart;
        if (point.error > 0.0) {
            const double low = std::max(panel.y.least, point.y - point.error);
            const double high = std::min(panel.y.most, point.y + point.error);
            append_format(out, "<path class=\"whisker hue-{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", name_of(series.hue), x,
                          frame.y(panel.y, low), frame.y(panel.y, high));
        }
        append_format(out, "{}", mark_at(series, x, frame.y(panel.y, point.y)));
    }
}

}  // namespace

std::string line_class(const Series& series) {
    return fmt::format("line hue-{}{}", name_of(series.hue), class_of(series.stroke));
}

std::string shapes(const Panel& panel, const Frame& frame) {
    std::string svg;
    if (panel.band)
        append_format(svg, "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                      frame.left, frame.top, frame.x(panel.x, panel.band->to) - frame.left, frame.height);
    draw_grid(svg, panel, frame);
    for (const Bar& bar : panel.bars) draw_bar(svg, bar, panel, frame);
    for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series)
        draw_line(svg, *series, panel, frame);
    if (panel.level)
        append_format(svg, "<path class=\"level\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", frame.left,
                      frame.y(panel.y, panel.level->value), frame.width);
    return svg;
}

std::string marks(const Panel& panel, const Frame& frame) {
    std::string svg;
    for (std::size_t i = panel.series.size(); i-- > 0;) draw_marks(svg, panel.series[i], i, panel, frame);
    return svg;
}

std::string sample(const Series& series, double x, double y) {
    std::string svg;
    if (series.stroke != Stroke::none)
        svg = fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", line_class(series), x, y, sample_width);
    return svg + mark_at(series, x + sample_width / 2, y);
}

}  // namespace sbdl::plot
