#include "denoise/plane_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "denoise/constant_regions.hpp"

namespace sbdl {
namespace {

constexpr double too_few_counts = 3.0;  // below, the transform does not make the variance 1

double window_mean(const Matrix& plane, std::size_t row, std::size_t col) {
    double sum = 0.0;
    for (std::size_t y = 0; y < dct_side; ++y)
        for (std::size_t x = 0; x < dct_side; ++x) sum += plane(row + y, col + x);
    return sum / (dct_side * dct_side);
}

/// How far the windows of an image are from where their noise is no longer what it is elsewhere.
class Room {
public:
    Room(const Image& noisy, const NoiseModel& model) : noisy_(noisy), model_(model), constant_(noisy.planes) {
        if (model.levels.empty())
            for (const Matrix& plane : noisy.planes) levels_.push_back(find_clip_levels(plane, constant_));
        else
            levels_ = model.levels;
    }

    double operator()(std::size_t row, std::size_t col) const {
        if (constant_.overlapped_by(row, col)) return -1.0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < noisy_.planes.size(); ++p) {
            if (model_.stabilisers.empty() && levels_[p].unclipped()) continue;
            const double mean = window_mean(noisy_.planes[p], row, col);
            if (model_.stabilisers.empty()) {
                least = std::min(least, levels_[p].distance(mean));
                continue;
            }
            const Stabiliser& stabiliser = model_.stabilisers[p];
            const PoissonGaussian& noise = stabiliser.noise();
            // In units of the transformed plane, whose noise has a standard deviation of about 1.
            const double sd = std::sqrt(std::max(noise.variance(mean), 1e-300));
            if (mean < noise.offset + too_few_counts * noise.gain) return -1.0;
            least = std::min(least, std::max(levels_[p].distance(mean), 0.0) / sd);
        }
        return least;
    }

private:
    const Image& noisy_;
    const NoiseModel& model_;
    ConstantRegions constant_;
    std::vector<ClipLevels> levels_;
};

}  // namespace

PlaneSpectra plane_spectra(std::span<const Matrix> planes, const Image& noisy, const NoiseModel& model, int threads) {
    const Room room(noisy, model);
    PlaneSpectra result;
    for (const Matrix& plane : planes) {
        const NoiseSpectrum spectrum = estimate_spectrum(plane, std::cref(room), threads);
        result.noise.push_back(spectrum.correlated() ? std::optional(spectrum.autocovariance()) : std::nullopt);
        result.unknown = result.unknown || !spectrum.roomy || !spectrum.enough;
    }
    return result;
}

}  // namespace sbdl
