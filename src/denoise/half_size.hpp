// An image at half its size, and what was found there brought back. Averages of two by two pixels have half the noise
// and all of the coarse structure, so patches of the same size see twice as far there: shading and large forms come
// out better than at full size, where they drown in the noise of each patch.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Means of two by two pixels. The last row or column of an odd size is left out.
Matrix halve(const Matrix& plane);

/// Moves the coarse part of `fine`, an estimate of an image, towards `coarse`, one of the same image at half size.
void add_coarse_part(const Matrix& coarse, Matrix& fine);

}  // namespace sbdl
