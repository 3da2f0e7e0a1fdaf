// Curves over a logarithmic axis as one self-contained SVG, legible on light and dark pages. Curves of one family share
// colour and mark, and differ in their dashes: so they can be told apart without colours, too.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sbdl::svg {

struct Curve {
    std::string label;
    int family = 0;                                 ///< 0 to 4
    int member = 0;                                 ///< 0 to 3, of the family
    std::vector<std::pair<double, double>> points;  ///< x above 0 and rising, y from 0 to 100
};

struct CurveFigure {
    std::string title;
    std::string subtitle;
    std::string x_label;
    std::string y_label;
    std::vector<Curve> curves;  ///< the first lies on top and comes first in the legend
};

std::string render(const CurveFigure& figure);

}  // namespace sbdl::svg
