#include "denoise/window_room.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr double too_few_counts = 3.0;  // below, the transform does not make the variance 1

double window_mean(const Matrix& plane, std::size_t row, std::size_t col) {
    double sum = 0.0;
    for (std::size_t y = 0; y < dct_side; ++y)
        for (std::size_t x = 0; x < dct_side; ++x) sum += plane(row + y, col + x);
    return sum / (dct_side * dct_side);
}

}  // namespace

WindowRoom::WindowRoom(std::span<const Matrix> samples, std::span<const Stabiliser> stabilisers,
                       std::span<const ClipLevels> levels)
    : samples_(samples), stabilisers_(stabilisers), constant_(samples), levels_(levels.begin(), levels.end()) {
    if (levels_.empty())
        for (const Matrix& plane : samples) levels_.push_back(find_clip_levels(plane, constant_));
}

double WindowRoom::operator()(std::size_t row, std::size_t col) const {
    if (constant_.overlapped_by(row, col)) return -1.0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < samples_.size(); ++p) {
        if (stabilisers_.empty() && levels_[p].unclipped()) continue;
        const double mean = window_mean(samples_[p], row, col);
        if (stabilisers_.empty()) {
            least = std::min(least, levels_[p].distance(mean));
            continue;
        }
        const PoissonGaussian& noise = stabilisers_[p].noise();
        // In units of the transformed plane, whose noise has a standard deviation of about 1.
        const double sd = std::sqrt(std::max(noise.variance(mean), 1e-300));
        if (mean < noise.offset + too_few_counts * noise.gain) return -1.0;
        least = std::min(least, std::max(levels_[p].distance(mean), 0.0) / sd);
    }
    return least;
}

}  // namespace sbdl
