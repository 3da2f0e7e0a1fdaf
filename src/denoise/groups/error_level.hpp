// How large the errors of this image are, compared with those that were foreseen for it: standard deviations are scaled
// by what the residual shows (math.md, P12).
#pragma once

#include "denoise/plane.hpp"

namespace sbdl {

/// Scales the standard deviations of an estimate's pixels, window by window. `noisy` minus `estimate` is the residual;
/// its noise, of standard deviation sigma, must be independent from pixel to pixel.
void scale_to_residual(const Plane& noisy, const Plane& estimate, double sigma, int threads, Plane& std);

/// Adjusts the standard deviations of a plane whose groups were found in another plane, so that its own noise did not
/// influence the search.
void sharpen_std(double sigma, Plane& std);

}  // namespace sbdl
