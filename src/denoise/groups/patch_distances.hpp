// Squared distances between one patch and a row of others, on vectors of several others at a time.
#pragma once

#include <cstddef>

namespace sbdl {

/// Entries that may be read after the last one of an image, and written after the last distance.
constexpr std::size_t distance_padding = 16;

/// distances[k] = |patch - the patch at others + k|^2 for k = 0 ... count - 1. `own` has the patch's side^2 pixels by
/// rows; `others` points into an image whose rows are `step` apart.
void patch_distances(const float* own, const float* others, std::size_t side, std::size_t step, std::size_t count,
                     float* distances);

}  // namespace sbdl
