// Small multiples over a few categories as one self-contained SVG, legible on light and dark pages.
#pragma once

#include <string>
#include <vector>

namespace sbdl::svg {

enum class Colour { first, second, ink };
enum class Mark { dot, ring, box, bar };

struct Point {
    int category = 0;
    double value = 0.0;
    double error = 0.0;  // half the length of its whisker; 0 or NaN: none
};

struct Series {
    std::string label;
    Colour colour = Colour::ink;
    Mark mark = Mark::dot;
    bool joined = false;  // a line through the points
    bool dashed = false;
    double shift_px = 0.0;  // sideways, so that series do not hide each other
    std::vector<Point> points;
};

struct Panel {
    std::string title;
    double least = 0.0;  // of the vertical axis; values and whiskers are clipped to it
    double most = 100.0;
    double tick = 20.0;
    std::vector<Series> series;  // the first lies on top and comes first in the legend
};

struct Figure {
    std::string title;
    std::string subtitle;
    std::string category_label;
    std::string value_label;
    std::vector<std::string> categories;
    int columns = 1;
    std::vector<Panel> panels;  // row by row
};

/// The legend has each label once; series without points are left out.
std::string render(const Figure& figure);

}  // namespace sbdl::svg
