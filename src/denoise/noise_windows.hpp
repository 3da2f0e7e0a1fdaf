// The windows of 8 x 8 pixels from which the variance of the noise is inferred: their brightness, how strong their
// finest detail is, and whether they are quiet.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "denoise/clip_levels.hpp"
#include "denoise/constant_regions.hpp"
#include "denoise/window_dct.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

struct NoiseWindow {
    static constexpr std::size_t fine_count = 15, coarse_count = 48, middle_count = 39;  ///< coefficients

    double mean;
    double coarse, fine;  ///< mean squares of coefficients: all but the finest, and the finest
    double middle = 0.0;  ///< of the coarse ones, those that shading does not reach
    double inside = 1.0;  ///< share of the samples that are not at an end of the scale
};

struct NoiseWindows {
    std::vector<NoiseWindow> list;  ///< in order of their mean
    std::size_t stride = 1;
    std::size_t fine_count = NoiseWindow::fine_count;  ///< coefficients

    /// The brightness that this share of the windows does not exceed.
    [[nodiscard]] double brightness(double share) const {
        return list[static_cast<std::size_t>(share * static_cast<double>(list.size() - 1))].mean;
    }
};

/// All windows outside constant regions, or, of a large image, an even choice.
NoiseWindows noise_windows(const Matrix& plane, const ConstantRegions& constant, const ClipLevels& levels, int threads);

/// The same for noise that is not white. `spectrum` is the mean square of each coefficient of such noise with a
/// variance of 1; squares are divided by it. The finest coefficients may hold hardly any of the noise, so the fine ones
/// are those with i + j odd and at least 5, and the coarse ones, which say nothing about these, are all with i + j
/// even.
NoiseWindows noise_windows(const Matrix& plane, const ConstantRegions& constant, const WindowDct& spectrum,
                           int threads);

/// Mean brightness and mean variance of some windows.
struct VariancePoint {
    double mean, variance;
};
VariancePoint mean_of(std::span<const NoiseWindow> windows);

/// The quietest windows of each of several brightnesses. `power` tells which windows are quiet.
std::vector<VariancePoint> quietest(const NoiseWindows& windows, double NoiseWindow::*power);

}  // namespace sbdl
