// A plot in the report's page: an SVG that stretches with the page, with its labels beside it as ordinary text, so that
// they stay legible on a phone. It has no marks, which would be stretched, too. The page's style lays it out.
#pragma once

#include <string>

#include "plot/panel.hpp"

namespace sbdl::plot {

struct HtmlFigure {
    std::string caption;      ///< may be empty
    std::string description;  ///< for those who cannot see it
    Panel panel;
    std::string remarks{};  ///< HTML after the legend
};

/// The legend is left out when it would have a single entry.
std::string html_figure(const HtmlFigure& figure);

}  // namespace sbdl::plot
