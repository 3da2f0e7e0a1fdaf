#include "denoise/scale_ends.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace sbdl {
namespace {

constexpr double fewest = 16;           // samples at an end that was cut off
constexpr double least_share = 0.001;   // of all samples
constexpr double pile = 1.5;            // as many as at the next value
constexpr double least_mingled = 0.25;  // of those at the end, beside others in their row

/// Whether noise was cut off at `end`, the first of the plane's values in the order `before`.
template <class Before>
bool cut_off(const Matrix& plane, const FlatPlaces& flat, double end, Before before) {
    double here = 0, mingled = 0, at_next = 0, next = end;
    for (std::size_t row = 0; row < plane.rows(); ++row) {
        const std::span<const double> values = plane.row(row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            if (flat.at(row, i)) continue;
            if (value == end) {
                ++here;
                if ((i > 0 && values[i - 1] != end) || (i + 1 < values.size() && values[i + 1] != end)) ++mingled;
            } else if (next == end || before(value, next)) {
                next = value;
                at_next = 1;
            } else if (value == next) {
                ++at_next;
            }
        }
    }
    return here >= fewest && here >= least_share * static_cast<double>(plane.size()) && here > pile * at_next &&
           mingled >= least_mingled * here;
}

}  // namespace

ScaleEnds scale_ends(const Matrix& plane, const FlatPlaces& flat) {
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    ScaleEnds ends;
    if (cut_off(plane, flat, *least, std::less<>())) ends.low = *least;
    if (cut_off(plane, flat, *most, std::greater<>())) ends.high = *most;
    return ends;
}

}  // namespace sbdl
