// How close an image is to the truth.
#pragma once

#include "sbdl/image.hpp"

namespace sbdl {

/// For integer samples the largest value of their scale; for float samples their range (1 when they are all equal).
double peak_of(const Image& image);

/// 20 log10(peak / root mean square difference), over all planes; infinite for equal images. Nothing is clipped or
/// rounded. Throws InputError when the shapes differ.
double psnr(const Image& truth, const Image& estimate, double peak);

/// Structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004): 11 x 11 Gaussian window of standard deviation 1.5,
/// K1 = 0.01, K2 = 0.03, mean over the pixels whose window lies inside, mean over the planes. Throws InputError when
/// the shapes differ or a side is below 11.
double ssim(const Image& truth, const Image& estimate, double peak);

/// The fraction of samples, over all planes, whose estimate is within a multiple of its standard deviation of the
/// truth: 0.68 for 1 and 0.95 for 2 if errors are Gaussian and the standard deviations right. Throws InputError when
/// the shapes differ.
double share_within(const Image& truth, const Image& estimate, const Image& estimate_std, double multiple);

}  // namespace sbdl
