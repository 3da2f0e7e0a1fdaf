// The fit of the variance to windows whose noise was clipped at the ends of the scale (math.md, P8).
//
// What is observed lies about a curve, not a line: clipping makes windows near an end weaker and moves their mean. The
// steps of clipped_step.hpp lead from a first curve to one that agrees with the windows. Several first curves are
// tried, since some end where only what was fitted agrees.
#pragma once

#include <optional>
#include <vector>

#include "denoise/clipped_step.hpp"
#include "denoise/known_noise.hpp"
#include "denoise/noise_windows.hpp"

namespace sbdl {

struct ClippedSearchResult {
    VarianceLine line;            ///< of the variance before clipping
    bool mostly_clipped = false;  ///< hardly any noise is left
    double gain_sd = 0.0, intercept_sd = 0.0;
    double disagreement = 0.0;          ///< of the means that the windows show with the curves, relative to those
    double scatter = 0.0;               ///< of the windows about the curve; 1 for noise
    double dark = 0.0, bright = 0.0;    ///< brightness, before clipping, of the darkest and the brightest 2 %
    std::vector<VariancePoint> points;  ///< of the windows as they were before clipping
};

/// `power` tells which windows are quiet. None if too few windows are.
std::optional<ClippedSearchResult> search_clipped(const NoiseWindows& windows, double NoiseWindow::*power,
                                                  const KnownNoise& known, const ClipLevels& levels);

}  // namespace sbdl
