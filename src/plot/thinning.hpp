// Fewer points for a line that has more than the screen can show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plot/panel.hpp"

namespace sbdl::plot {

/// At most about `most` points: the least and the greatest of each stretch, in their order, and both ends, so that no
/// peak is lost.
inline std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
    if (points.size() <= most) return points;
    const std::size_t stretches = std::max<std::size_t>(1, most / 2);
    std::vector<Point> kept{points.front()};
    for (std::size_t s = 0; s < stretches; ++s) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(points.size() * s / stretches);
        const auto last = points.begin() + static_cast<std::ptrdiff_t>(points.size() * (s + 1) / stretches);
        auto [least, greatest] =
            std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
        if (least > greatest) std::swap(least, greatest);
        kept.push_back(*least);
        if (least != greatest) kept.push_back(*greatest);
    }
    kept.push_back(points.back());
    return kept;
}

}  // namespace sbdl::plot
