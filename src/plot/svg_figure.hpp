// A figure as one self-contained SVG file, legible on light and dark pages: a title, panels in rows, a legend below.
#pragma once

#include <string>
#include <vector>

#include "plot/panel.hpp"

namespace sbdl::plot {

struct SvgFigure {
    std::string title;
    std::string subtitle;
    double panel_width = 200.0, panel_height = 170.0;
    int columns = 1;
    std::vector<Panel> panels;  ///< row by row; the titles of the first one's axes stand for all
};

/// The legend has each label once; series without points are left out.
std::string svg_figure(const SvgFigure& figure);

}  // namespace sbdl::plot
