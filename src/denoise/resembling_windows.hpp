// The noise of images that repeat themselves: text, fabrics, tilings, screens.
//
// Such an image may have no flat region. But where two windows of 8 x 8 pixels look alike, they differ by their noise.
// Half of a window's pixels, the black squares of a chessboard, are used to find the most similar window nearby. The
// other half, whose noise had no part in that choice, shows how far the two differ. Half of the mean square of these
// differences is the variance of the noise if the windows are alike, and more if they are not. So it is an upper bound,
// whatever is in the image, if the noise is white. (If the noise of neighbouring
// pixels is correlated, it does influence the choice.)
//
// The quarter of the windows that differ least decides. If the noise grows with brightness, these are dark. So the
// windows are split into thirds by brightness, and the largest of the three bounds counts.
#pragma once

#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// An upper bound on the standard deviation of white noise in the plane; infinite if too few windows could be compared.
/// `samples` are the planes of the image as it was read: windows that overlap a constant region or are mostly clipped
/// do not count, and for the others, the noise lost to clipping is added back.
double noise_of_resembling_windows(const Matrix& plane, std::span<const Matrix> samples, int threads = 1);

}  // namespace sbdl
