#include "denoise/clip_levels.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace sbdl {
namespace {

constexpr double fewest_clipped = 16;    // samples at a clip level
constexpr double least_clipped = 0.001;  // of all samples
constexpr double clip_pile_up = 1.5;     // as many as at the next value
constexpr double least_mixed = 0.25;     // share of those at the level that lie beside other values in their row

/// Whether noise was clipped at `end`, the first of the plane's values in the order `before`.
template <class Before>
bool clipped_at(const Matrix& plane, const ConstantRegions& constant, double end, Before before) {
    double here = 0, mixed = 0, at_next = 0, next = end, after_next = end;
    for (std::size_t row = 0; row < plane.rows(); ++row) {
        const std::span<const double> values = plane.row(row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            if (constant.at(row, i)) continue;
            if (value == end) {
                ++here;
                if ((i > 0 && values[i - 1] != end) || (i + 1 < values.size() && values[i + 1] != end)) ++mixed;
            } else if (next == end || before(value, next)) {
                after_next = next;
                next = value;
                at_next = 1;
            } else if (value == next) {
                ++at_next;
            } else if (after_next == end || before(value, after_next)) {
                after_next = value;
            }
        }
    }
    // Counts of light are far apart. The end of the scale is hardly ever one of them: it holds what several would.
    const double steps = after_next == end ? 1.0 : std::max(std::abs((after_next - next) / (next - end)), 1.0);
    return here >= fewest_clipped && here >= least_clipped * static_cast<double>(plane.size()) &&
           here * steps > clip_pile_up * at_next && mixed >= least_mixed * here;
}

}  // namespace

ClipLevels find_clip_levels(const Matrix& plane, const ConstantRegions& constant) {
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    ClipLevels levels;
    if (clipped_at(plane, constant, *least, std::less<>())) levels.low = *least;
    if (clipped_at(plane, constant, *most, std::greater<>())) levels.high = *most;
    return levels;
}

}  // namespace sbdl
