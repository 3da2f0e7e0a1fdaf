// Where noise was cut off at the ends of the scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "denoise/constant_regions.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Where the samples of an image are clipped: a sensor or a file format limits the values at the ends of its scale, and
/// near them the noise looks weaker than it is. Infinite where nothing was clipped.
struct ClipLevels {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool unclipped() const { return std::isinf(low) && std::isinf(high); }
    [[nodiscard]] double distance(double value) const { return std::min(value - low, high - value); }
};

/// Noise is taken to be clipped if many samples have the extreme value, more than the next value would have if all were
/// equally far apart, and many of them lie beside samples that do not. (The constant background of a drawing is all in
/// one piece: there is no noise to clip.) Constant regions of the image, such as a frame, do not count.
ClipLevels find_clip_levels(const Matrix& plane, const ConstantRegions& constant);

}  // namespace sbdl
