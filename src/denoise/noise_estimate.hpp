// Noise estimation from flat regions of an image.
//
// In a flat region the finest DCT coefficients of an 8 x 8 window contain only noise; windows with texture contain
// more. Flat (quiet) windows are found by their coarser coefficients, the mean left out. For white noise these are
// independent of the finest ones, so choosing the quietest windows does not favour windows with little noise. The
// estimate is the root mean square of the finest coefficients over the quietest windows and over all others whose
// coarser coefficients are no larger than noise of that strength makes them.
//
// White noise is equally strong in every band, and no band can contain less than the noise. The grain of the image
// itself need not be white (scanners smear along their lines). So bands that are fine in one direction only are
// estimated in the same way, in windows that are quiet in the remaining coefficients. A band that is weaker than the
// finest by more than chance explains is a better upper bound; one that is equally strong adds more data.
//
// Exactly constant regions do not count, nor do windows that overlap one. What is drawn on a constant background is not
// noise: its pixels equal their neighbours or differ from them by a lot.
//
// Where samples are clipped the noise is too weak, and such regions look quietest of all. Windows whose mean is within
// three noise standard deviations of a clip level are left out, with the noise estimated so far.
#pragma once

#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviation of white noise in the plane; 0 when there is none, or fewer than 8 x 8 pixels. `samples` are the
/// planes of the image as it was read, which show where it is clipped; `plane` is one of them or a rotation of them.
double estimate_noise(const Matrix& plane, std::span<const Matrix> samples, int threads = 1);

}  // namespace sbdl
