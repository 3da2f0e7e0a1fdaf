// What is asked of an image before it is denoised, and the scale of its values.
#pragma once

#include "denoise/plane.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

/// Throws what denoise() would throw for this image and these options, so that a long run can check before it starts.
void check_image(const Image& noisy, const DenoiseOptions& options);

/// Noise below this is lost in the rounding of arithmetic with the image's values.
double resolution(const Image& image);

/// Noise below this cannot be distinguished from the rounding of the samples.
double least_noise(const Image& image);

/// The largest value of the samples' scale. Float and transformed samples have no fixed scale; the range of the clean
/// image comes closest to it. For a colour image `clean` is the luminance, which is the sum of the colours over
/// sqrt(3).
double scale_of(const Image& image, bool transformed, const Plane& clean);

}  // namespace sbdl
