// The noise of images that resemble themselves: text, fabrics, tilings, screens.
//
// Such an image may have no flat region. But where two windows of 8 x 8 pixels look alike, they differ by their noise.
// Half of the pixels, as the black squares of a chessboard, choose for a window the most similar one nearby; the other
// half, whose noise had no part in the choice, show how far the two differ. Half of the mean square of these
// differences is the variance of the noise if the windows are alike, and more if they are not. So it is an upper bound,
// whatever is in the image, if the noise is white.
//
// A quarter of the windows, those that differ least, decides. If the noise grows with brightness these are dark ones,
// so each third of the brightnesses has its own bound, and the largest of the three counts.
#pragma once

#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// An upper bound on the standard deviation of white noise in the plane; infinite if too few windows could be compared.
/// `samples` are the planes of the image as it was read: windows that overlap a constant region or are mostly clipped
/// do not count, and the noise that clipping took from the others is made up for.
double noise_of_resembling_windows(const Matrix& plane, std::span<const Matrix> samples, int threads = 1);

}  // namespace sbdl
