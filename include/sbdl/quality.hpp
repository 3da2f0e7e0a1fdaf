// How far an image is from the truth.
#pragma once

#include "sbdl/image.hpp"

namespace sbdl {

/// The scale's greatest value for integer samples; the range of its samples (1 when they are all equal) for float ones.
double peak_of(const Image& image);

/// 20 log10(peak / root mean square difference), over all planes; infinite for equal images. Nothing is clipped or
/// rounded. Throws InputError when the shapes differ.
double psnr(const Image& truth, const Image& estimate, double peak);

/// Structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004): 11 x 11 Gaussian window of standard deviation 1.5,
/// K1 = 0.01, K2 = 0.03, mean over the pixels whose window lies inside, mean over the planes. Throws InputError when
/// the shapes differ or a side is below 11.
double ssim(const Image& truth, const Image& estimate, double peak);

/// Share of the samples whose estimate is within so many of its standard deviations of the truth, over all planes: 0.68
/// for 1 and 0.95 for 2, should errors be Gaussian and the deviations right. Throws InputError when the shapes differ.
double share_within(const Image& truth, const Image& estimate, const Image& deviation, double deviations);

}  // namespace sbdl
