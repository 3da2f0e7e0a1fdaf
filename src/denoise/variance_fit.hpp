// How the variance of the noise depends on the brightness of the image, from the image itself.
//
// Windows of 8 x 8 pixels are chosen and measured as for the noise estimate (noise_estimate.hpp): by their coarser DCT
// coefficients and by their finest ones. A straight line of the variance over the mean of the windows is fitted to
// the quietest windows of each brightness. Then all windows are used that hold no more in their coarser coefficients
// than noise of that line, and the line is fitted again, until both agree (math.md, P8).
//
// Where little is flat but a background, these windows have too few brightnesses to show that the noise grows. Then
// windows with shading take part: the coarsest coefficients do not count, and the others must scatter like noise.
//
// Noise that was clipped at the ends of the scale is fitted by a curve instead (clipped_search.hpp).
#pragma once

#include <optional>
#include <vector>

#include "denoise/known_noise.hpp"
#include "denoise/noise_windows.hpp"
#include "denoise/poisson_gaussian.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

struct VarianceFit {
    PoissonGaussian noise;
    bool found = false;                 ///< there were enough quiet windows; otherwise `noise` is a guess
    bool mostly_clipped = false;        ///< little of the noise is left, and the fit is uncertain
    double significance = 0.0;          ///< of the gain, in standard deviations
    double scatter = 0.0;               ///< of the windows about the line; 1 for noise
    bool like_noise = true;             ///< they scatter like noise that is white; otherwise the line is not believed
    double sd_ratio = 1.0;              ///< of the noise in the bright parts of the image to that in its dark parts
    std::vector<VariancePoint> points;  ///< what the line was fitted to, in order of brightness
    /// If samples are clipped and the noise does not grow: its variance before, as noise of one strength.
    std::optional<double> one_variance;

    /// Whether the noise clearly depends on brightness.
    [[nodiscard]] bool grows() const;
};

/// What is known is kept. Offset and read noise cannot be told apart by a line. Without a given offset it is 0, unless
/// the line shows that it is not: then it is the darkest brightness of the image.
VarianceFit fit_variance(const Matrix& plane, const KnownNoise& known, int threads);

/// The same for windows none of which is near an end of the scale.
VarianceFit fit_line(const NoiseWindows& windows, const KnownNoise& known);

/// Noise that is said not to grow. Only the variance of clipped noise is fitted.
VarianceFit fit_one_strength(const Matrix& plane, int threads);

}  // namespace sbdl
