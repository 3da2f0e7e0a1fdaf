// A first guess of the missing samples of a plane: the smoothest surface through the observed ones.
#pragma once

#include "inpaint/observed.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Replaces the missing samples of the plane. At least one must be observed. Far from observed samples the surface is
/// that of a coarser image, so that holes of any size are filled.
void fill_smoothly(Matrix& plane, const Observed& observed);

}  // namespace sbdl
