// Where the samples of an image stop: a sensor or a file format cuts off what goes beyond the ends of its scale, and
// near them the noise looks weaker than it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "denoise/flat_places.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Infinite where nothing was cut off.
struct ScaleEnds {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool endless() const { return std::isinf(low) && std::isinf(high); }
    [[nodiscard]] double distance(double value) const { return std::min(value - low, high - value); }
};

/// Noise is taken to be cut off where many samples, and more than at the value next to it, sit at the very end, many of
/// them beside others that do not. (The paper of a drawing is all of one piece: there is no noise to cut off.) Flat
/// places of the image, such as a frame, do not count.
ScaleEnds scale_ends(const Matrix& plane, const FlatPlaces& flat);

}  // namespace sbdl
