// What a plot shows, and how its shapes are drawn into a frame. Text is not drawn here: a figure in a file of its own
// (svg_figure.hpp) and one in a page (html_figure.hpp) place it differently. Colours and lines are in plot.css.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plot/axis.hpp"

namespace sbdl::plot {

struct Point {
    double x = 0.0, y = 0.0;
    double error = 0.0;  ///< half the length of its whisker; 0 or NaN: none
};

enum class Hue { blue, orange, green, purple, gold, red, steel, brown, ink };
constexpr std::size_t hue_count = 8;  ///< without ink
enum class Stroke { none, solid, dashed, dotted, dash_dotted };
enum class Mark { none, disc, ring, box, diamond, triangle, cross, dash };

struct Series {
    std::string label;
    Hue hue = Hue::ink;
    Stroke stroke = Stroke::solid;  ///< of the line through the points
    Mark mark = Mark::none;
    bool few_marks = false;  ///< some way apart instead of one at every point
    double shift = 0.0;      ///< sideways, in units of the frame, so that series do not hide each other
    std::vector<Point> points;
};

struct Bar {
    double from = 0.0, to = 0.0, value = 0.0;
    std::string title;  ///< shown when it is pointed at
};

/// From the left edge to a value of the horizontal axis.
struct Band {
    double to = 0.0;
    std::string name;
};

/// Across the whole frame.
struct Level {
    double value = 0.0;
    std::string label;
};

struct Panel {
    std::string title;
    Axis x, y;
    std::vector<Series> series;  ///< the first lies on top and comes first in the legend
    std::vector<Bar> bars;
    std::optional<Band> band;
    std::optional<Level> level;
};

/// Where a panel is drawn; y grows downwards.
struct Frame {
    double left = 0.0, top = 0.0, width = 1000.0, height = 1000.0;

    [[nodiscard]] double x(const Axis& axis, double value) const { return left + width * axis.place(value); }
    [[nodiscard]] double y(const Axis& axis, double value) const { return top + height * (1.0 - axis.place(value)); }
};

/// The grid, the band, the bars, the lines and the level, as SVG. What lies outside the frame is not cut off.
std::string shapes(const Panel& panel, const Frame& frame);

/// Marks and whiskers, as SVG, for frames that are not stretched.
std::string marks(const Panel& panel, const Frame& frame);

/// The line and the mark of a series, for a legend: from (x, y) to the right.
std::string sample(const Series& series, double x, double y);
constexpr double sample_width = 34.0;

/// The class names of a line: "line hue-blue dashed".
std::string line_class(const Series& series);

}  // namespace sbdl::plot
