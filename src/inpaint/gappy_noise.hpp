// Noise estimation from the observed samples of an incomplete plane.
//
// As in denoise/noise_estimate.hpp, flat regions show the noise. In a window, a few of the coarsest waves are fitted to
// the observed samples by least squares. What the waves explain says how flat the window is; what they leave is noise,
// and for white noise the two are independent, so choosing the flattest windows does not favour those with little
// noise.
// Of these, the lower quartile counts, since fine texture can look flat.
#pragma once

#include <optional>

#include "inpaint/observed.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviation of white noise in the plane; nothing when too little of it was observed to tell.
std::optional<double> estimate_gappy_noise(const Matrix& plane, const Observed& observed, int threads);

}  // namespace sbdl
