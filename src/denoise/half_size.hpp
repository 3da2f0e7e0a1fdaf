// An image at half its size, and how its estimate improves the one at full size. Averages of two by two pixels have
// half the noise and all of the coarse structure, and patches of the same size cover twice the width there: shading and
// large forms are estimated better than at full size, where the noise of each patch hides them.
#pragma once

#include "denoise/plane.hpp"

namespace sbdl {

/// Means of two by two pixels. The last row or column of an odd size is left out.
Plane halve(const Plane& plane, int threads);

/// Moves the coarse part of `fine`, an estimate of an image, towards `coarse`, one of the same image at half size.
void add_coarse_part(const Plane& coarse, int threads, Plane& fine);

}  // namespace sbdl
