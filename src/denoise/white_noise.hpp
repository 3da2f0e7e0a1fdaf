// White noise of an image: that of its flat regions, or, where there are none, of windows that look alike.
#pragma once

#include <span>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviations of white noise, 0 where there is none.
struct WhiteNoise {
    std::vector<double> sd;     ///< of each plane
    bool nowhere_flat = false;  ///< no region is flat; `sd` comes from parts of the image that look alike
    /// For each plane, whether its finest detail alone holds all the noise that windows that look alike allow. If
    /// neighbouring pixels shared their noise, it would hold less.
    std::vector<bool> surely_white;
};

/// That of flat regions (noise_estimate.hpp), unless the first plane, luminance, has clearly more of it than windows
/// that look alike allow: then no region of the image is flat, and it is at most what they allow.
WhiteNoise white_noise(std::span<const Matrix> planes, std::span<const Matrix> samples, int threads = 1);

}  // namespace sbdl
