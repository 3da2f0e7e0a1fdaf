// A first guess of the missing samples: the smoothest surface through the observed ones.
#pragma once

#include <span>

#include "inpaint/observed.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Replaces the missing samples of the plane. At least one must be observed. Far from observed samples the surface is
/// that of a coarser image, so that holes of any size are filled.
void fill_smoothly(Matrix& plane, const Observed& observed);

/// The same for the planes of a colour image. Where they miss different samples they help each other: what they have
/// in common is filled first, from every sample of any plane, and then their differences from it, which are smoother.
void fill_planes_smoothly(std::span<Matrix> planes, std::span<const Observed> observed);

}  // namespace sbdl
