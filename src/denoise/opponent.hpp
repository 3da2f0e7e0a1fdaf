// Red, green and blue rotated into luminance and two colour differences: white noise stays white and equally strong,
// while the structure that the colours share is collected in one plane.
#pragma once

#include <vector>

#include "denoise/plane.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Three planes of equal size; the first becomes (r + g + b) / sqrt 3.
std::vector<Matrix> to_opponent(std::vector<Matrix> rgb);
std::vector<Matrix> from_opponent(const std::vector<Plane>& planes);
/// Standard deviations of r, g and b from those of the opponent planes, taken as independent.
std::vector<Matrix> std_from_opponent(const std::vector<Plane>& opponent_std);

}  // namespace sbdl
