// The frame of a plot: an SVG that stretches with the page, with its labels beside it as ordinary text, so that they
// stay legible on a phone.
#pragma once

#include <string>
#include <vector>

#include "report/axis.hpp"

namespace sbdl::report {

/// The drawing has this many units each way, whatever its shape on the page.
constexpr double plot_units = 1000.0;

struct Plot {
    std::string caption;      ///< HTML; may be empty
    std::string description;  ///< for those who cannot see it; plain text
    std::string x_label, y_label;
    Axis x, y;
    std::string shapes;  ///< SVG, in plot units; drawn over the grid
    std::string extras;  ///< HTML laid over the frame: words placed in it by percentages
    std::string below;   ///< HTML after the axis: a legend, remarks

    [[nodiscard]] double px(double value) const { return plot_units * x.place(value); }
    [[nodiscard]] double py(double value) const { return plot_units * (1.0 - y.place(value)); }
};

std::string draw(const Plot& plot);

}  // namespace sbdl::report
