// The noise of an image from its calm places.
//
// In the finest part of its DCT an 8 x 8 window of a smooth region holds nothing but noise; windows with texture have
// more. Which windows are smooth is told by their other coefficients, the level left out: of white noise they are
// independent of the finest ones, so that choosing the calmest windows does not choose those of little noise. The
// noise is the root mean square of the finest coefficients of the calmest windows, and of all others in which noise
// of that strength explains everything.
//
// White noise is as strong in every band, and no band can hold less than all of it; the grain that an image brings
// along need not be white (scanners smear along their lines). Detail that is fine in one direction only is looked at
// in the same way, in windows that are calm in all the rest. Where it is weaker than the finest, by more than chance
// explains, it is the better bound; where it is as strong, it is more of the same noise.
//
// Flat places, where nothing at all varies, do not count, nor do windows that reach into one. What is drawn on them is
// no noise: its pixels are like their neighbours, or different by far.
//
// Where the scale of the samples ends noise is cut off, and such places look calmest of all. Windows whose mean is
// within three deviations of such an end are left out; how much that is follows from the noise found so far.
#pragma once

#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviation of white noise in the plane; 0 when there is none. Needs at least 8 x 8 pixels. `samples`: the
/// planes of the image as they were read, which tell where it is cut off; the plane is one of them or was made of
/// them by a rotation.
double calm_noise(const Matrix& plane, std::span<const Matrix> samples);

}  // namespace sbdl
