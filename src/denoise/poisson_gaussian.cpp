#include "denoise/poisson_gaussian.hpp"

#include <cstddef>

namespace sbdl {
namespace {

constexpr std::size_t table_size = 256;
constexpr double beyond = 3.0;  // noise standard deviations by which the table reaches over both ends

}  // namespace

// The trapezoidal rule, which is exact to many digits for smooth functions and good enough for one with a kink.
GaussianNodes::GaussianNodes() {
    constexpr double farthest = 5.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        at[i] = farthest * (2.0 * static_cast<double>(i) / (count - 1) - 1.0);
        weight[i] = std::exp(-0.5 * at[i] * at[i]);
        sum += weight[i];
    }
    for (double& w : weight) w /= sum;
}

ClippedNoise::ClippedNoise(const PoissonGaussian& noise, const ClipLevels& levels, double from, double to)
    : noise_(noise), unclipped_(levels.unclipped()) {
    if (unclipped_) return;
    const double margin = beyond * std::sqrt(noise.variance(to));
    const double first = noise.gain > 0.0 ? std::max(noise.offset, from - margin) : from - margin;
    const double last = to + margin;
    for (std::size_t i = 0; i < table_size; ++i) {
        const double mean = first + (last - first) * static_cast<double>(i) / (table_size - 1);
        const auto clip = [&levels](double z) { return std::clamp(z, levels.low, levels.high); };
        const double seen = expected(noise, mean, clip);
        const double left = expected(noise, mean, [&](double z) { return (clip(z) - seen) * (clip(z) - seen); });
        if (!observed_.empty() && seen <= observed_.back()) continue;
        observed_.push_back(seen);
        mean_.push_back(mean);
        left_.push_back(left);
    }
}

ClippedNoise::Moments ClippedNoise::at(double observed) const {
    if (unclipped_) return {observed, noise_.variance(observed), noise_.variance(observed)};
    const auto above = std::upper_bound(observed_.begin(), observed_.end(), observed);
    if (above == observed_.begin()) return {mean_.front(), noise_.variance(mean_.front()), left_.front()};
    if (above == observed_.end()) return {mean_.back(), noise_.variance(mean_.back()), left_.back()};
    const auto i = static_cast<std::size_t>(above - observed_.begin());
    const double share = (observed - observed_[i - 1]) / (observed_[i] - observed_[i - 1]);
    const double mean = std::lerp(mean_[i - 1], mean_[i], share);
    return {mean, noise_.variance(mean), std::lerp(left_[i - 1], left_[i], share)};
}

}  // namespace sbdl
