// The noise of a picture from its calm places.
//
// In the finest part of its DCT an 8 x 8 window of a smooth region holds nothing but noise; windows with texture have
// more. Which windows are smooth is told by their other coefficients, the level left out: of white noise they are
// independent of the finest ones, so that choosing the calmest windows does not choose those of little noise. The
// noise is the root mean square of the finest coefficients of the calmest windows.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviation of white noise in the plane; 0 when there is none. Needs at least 8 x 8 pixels.
double calm_noise(const Matrix& plane);

}  // namespace sbdl
