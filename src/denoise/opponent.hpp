// Red, green and blue turned into luminance and two colour differences by a rotation: white noise stays white and as
// strong, while the colours' common structure comes together in one plane.
#pragma once

#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Three planes of equal size; the first becomes (r + g + b) / sqrt 3.
std::vector<Matrix> to_opponent(const std::vector<Matrix>& rgb);
std::vector<Matrix> from_opponent(const std::vector<Matrix>& planes);
/// Standard deviations of r, g and b from those of the opponent planes, taken as independent.
std::vector<Matrix> deviation_from_opponent(const std::vector<Matrix>& deviations);

}  // namespace sbdl
