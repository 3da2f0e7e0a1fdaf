#include "denoise/stabiliser.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "denoise/clipped_noise.hpp"

namespace sbdl {
namespace {

constexpr double finest_step = 0.05;  // of the inverse's table, in the transformed domain
constexpr std::size_t most_steps = 20'000;
constexpr double past_the_end = 4.0;  // noise standard deviations by which the table goes on after the largest sample
constexpr double most_correction = 0.1;  // of the mean
constexpr int halvings = 12;             // of the interval in which the correction lies

}  // namespace

// With c = 3/8 gain^2 + read_variance - gain * offset the transform is 2/gain (sqrt(gain z + c) - sqrt(gain r + c)) for
// some reference r. It is written without the division, so that it becomes (z - r) / sqrt(c) for a gain of 0.
Stabiliser::Stabiliser(const PoissonGaussian& noise, const ClipLevels& levels, double least, double most)
    : noise_(noise), levels_(levels) {
    const double constant = 0.375 * noise.gain * noise.gain + noise.intercept();
    lowest_ = noise.gain > 0.0 ? -constant / noise.gain : -std::numeric_limits<double>::infinity();
    reference_ = std::max(most, std::max(lowest_, noise.offset) + noise.gain);
    reference_root_ = root(reference_);

    const double last = reference_ + past_the_end * std::sqrt(noise.variance(reference_));
    const double start = noise.gain > 0.0 ? noise.offset : least - past_the_end * std::sqrt(noise.read_variance);
    // Equal steps of the square root, which are nearly equal steps of the transform.
    const double from = forward(start), to = forward(last);
    const auto steps =
        static_cast<std::size_t>(std::clamp((to - from) / finest_step, 16.0, static_cast<double>(most_steps)));
    const double first_root = root(start), last_root = root(last);
    for (std::size_t i = 0; i <= steps; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        double mean = std::lerp(start, last, share);
        if (noise.gain > 0.0) {
            const double here = std::lerp(first_root, last_root, share);
            mean =
                std::lerp(start, last,
                          (here * here - first_root * first_root) / (last_root * last_root - first_root * first_root));
        }
        const double value = value_at(mean);
        if (!value_.empty() && value <= value_.back()) continue;  // all clipped, or rounding
        value_.push_back(value);
        mean_.push_back(mean);
    }
    if (value_.size() == 1) {  // every sample is clipped, whatever the light
        value_.push_back(value_.back() + 1.0);
        mean_.push_back(last);
    }
}

double Stabiliser::root(double sample) const {
    const double square = noise_.gain * sample + 0.375 * noise_.gain * noise_.gain + noise_.intercept();
    return std::sqrt(std::max(square, 0.0));
}

double Stabiliser::forward(double sample) const {
    const double inside = std::max(sample, lowest_);
    return 2.0 * (inside - reference_) / (root(inside) + reference_root_);
}

Matrix Stabiliser::forward(const Matrix& samples) const {
    Matrix result(samples.rows(), samples.cols());
    for (std::size_t i = 0; i < samples.size(); ++i) result.data()[i] = forward(samples.data()[i]);
    return result;
}

Stabiliser::Inverse Stabiliser::inverse(double value) const {
    const auto above = std::upper_bound(value_.begin() + 1, value_.end() - 1, value);
    const auto i = static_cast<std::size_t>(above - value_.begin());
    const double slope = (mean_[i] - mean_[i - 1]) / (value_[i] - value_[i - 1]);
    // There cannot be less than no light. Above the table its last piece is extended, unless samples were clipped
    // there: it would be arbitrarily steep.
    double at = noise_.gain > 0.0 ? std::max(value, value_.front()) : value;
    if (!std::isinf(levels_.high)) at = std::min(at, value_.back());
    return {mean_[i - 1] + slope * (at - value_[i - 1]), slope};
}

// The mean of the transforms of samples with this mean.
double Stabiliser::value_at(double mean) const {
    if (std::isinf(mean)) return mean;
    return expected(noise_, mean, [this](double z) { return forward(std::clamp(z, levels_.low, levels_.high)); });
}

double Stabiliser::noise_sd(double mean) const {
    const double value = value_at(mean);
    return std::sqrt(expected(noise_, mean, [&](double z) {
        const double off = forward(std::clamp(z, levels_.low, levels_.high)) - value;
        return off * off;
    }));
}

void Stabiliser::invert(Matrix& estimate, Matrix& std) const {
    // Beyond the clip levels the inverse is arbitrarily steep, and so would be the standard deviations.
    const double lowest = value_at(levels_.low), highest = value_at(levels_.high);
    for (std::size_t i = 0; i < estimate.size(); ++i) {
        const Inverse found = inverse(std::clamp(estimate.data()[i], lowest, highest));
        estimate.data()[i] = found.mean;
        if (!std.empty()) std.data()[i] *= found.slope;
    }
}

void Stabiliser::undo_clipping(Matrix& estimate, Matrix& std) const {
    const double unit = std::sqrt(noise_.read_variance);
    const double lowest = value_at(levels_.low), highest = value_at(levels_.high);
    for (std::size_t i = 0; i < estimate.size(); ++i) {
        const Inverse found = inverse(std::clamp(forward(estimate.data()[i]), lowest, highest));
        estimate.data()[i] = found.mean;
        if (!std.empty()) std.data()[i] *= found.slope / unit;
    }
}

void keep_mean(const Matrix& noisy, const PoissonGaussian& noise, const ClipLevels& levels, Matrix& estimate) {
    const auto [least, most] = std::minmax_element(estimate.data(), estimate.data() + estimate.size());
    double of_noisy = 0.0, of_estimate = 0.0;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        of_noisy += noisy.data()[i] - noise.offset;
        of_estimate += estimate.data()[i] - noise.offset;
    }
    if (!(of_estimate > 0.0)) return;
    double factor = of_noisy / of_estimate;
    if (!levels.unclipped()) {
        const double reach = 1.0 + most_correction;
        const ClippedMean clipped(noise, levels, std::min(*least, noise.offset),
                                  noise.offset + reach * std::max(*most - noise.offset, 0.0));
        const auto sum_after = [&](double times) {
            double sum = 0.0;
            for (std::size_t i = 0; i < estimate.size(); ++i)
                sum += clipped.at(noise.offset + times * (estimate.data()[i] - noise.offset)) - noise.offset;
            return sum;
        };
        double low = 1.0 - most_correction, high = reach;
        if (!(sum_after(low) < of_noisy && of_noisy < sum_after(high))) return;
        for (int i = 0; i < halvings; ++i) {
            factor = 0.5 * (low + high);
            (sum_after(factor) < of_noisy ? low : high) = factor;
        }
    }
    if (!(std::abs(factor - 1.0) <= most_correction)) return;
    for (std::size_t i = 0; i < noisy.size(); ++i)
        estimate.data()[i] = noise.offset + factor * (estimate.data()[i] - noise.offset);
}

}  // namespace sbdl
