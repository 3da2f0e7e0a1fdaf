// Noise that grows with brightness and that neighbouring pixels share.
//
// The line of variance_fit.hpp takes noise to be white: a window is quiet if its coarser coefficients hold no more than
// its finest ones. Where pixels share their noise, no window is. So the spectrum of the noise is found first, the
// squares of coefficients are divided by it, and the line is fitted to these. What the line says makes the noise
// equally strong everywhere, and its spectrum is found again, until both agree (math.md, P10).
#pragma once

#include "denoise/variance_fit.hpp"

namespace sbdl {

/// The line of the variance of the pixels. Its fit does not grow where noise of one strength, white noise, or no noise
/// explains the image.
VarianceFit fit_correlated(const Matrix& plane, const KnownNoise& known, int threads);

}  // namespace sbdl
