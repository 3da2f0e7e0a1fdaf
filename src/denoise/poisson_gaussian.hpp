// Noise that grows with the light: z = offset + gain * Poisson(counts) + Gaussian read noise, cut off at the ends of
// the scale. Its variance is a straight line in the mean (math.md, P8).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "denoise/clip_levels.hpp"

namespace sbdl {

struct PoissonGaussian {
    double gain = 0.0;           ///< units of the samples per count; 0: the noise does not depend on brightness
    double read_variance = 0.0;  ///< of the Gaussian part
    double offset = 0.0;         ///< samples without light

    /// The variance of unclipped samples with this mean.
    [[nodiscard]] double variance(double mean) const { return gain * std::max(mean - offset, 0.0) + read_variance; }
    /// Where the line of the variance meets mean 0. Offset and read noise enter most formulas only through it.
    [[nodiscard]] double intercept() const { return read_variance - gain * offset; }
};

/// Nodes and weights for the mean of a function of a standard Gaussian number.
struct GaussianNodes {
    static constexpr std::size_t count = 33;
    std::array<double, count> at, weight;
    GaussianNodes();
};

/// The mean of f(z) over samples z with this mean, before they are clipped.
template <class Function>
double expected(const PoissonGaussian& noise, double mean, const Function& f) {
    static const GaussianNodes nodes;
    const auto smeared = [&f](double at, double sd) {
        if (sd == 0.0) return f(at);
        double sum = 0.0;
        for (std::size_t i = 0; i < GaussianNodes::count; ++i) sum += nodes.weight[i] * f(at + sd * nodes.at[i]);
        return sum;
    };
    constexpr double many = 100.0;  // counts whose distribution is nearly Gaussian
    const double counts = noise.gain > 0.0 ? std::max(mean - noise.offset, 0.0) / noise.gain : 2.0 * many;
    if (counts > many) return smeared(mean, std::sqrt(noise.variance(mean)));
    const double sd = std::sqrt(noise.read_variance);
    const int last = static_cast<int>(counts + 10.0 * std::sqrt(counts)) + 10;
    double probability = std::exp(-counts), sum = 0.0;
    for (int k = 0; k <= last; ++k) {
        sum += probability * smeared(noise.offset + noise.gain * k, sd);
        probability *= counts / (k + 1);
    }
    return sum;
}

/// What clipping leaves of the noise. For samples whose mean, after clipping, is `observed`: the mean and the variance
/// that they had before, and the variance that is left.
class ClippedNoise {
public:
    struct Moments {
        double mean, variance, left;
    };

    /// For observed means between these two.
    ClippedNoise(const PoissonGaussian& noise, const ClipLevels& levels, double from, double to);

    [[nodiscard]] Moments at(double observed) const;

private:
    PoissonGaussian noise_;
    bool unclipped_;
    std::vector<double> observed_, mean_, left_;  // a table, increasing in the first two
};

}  // namespace sbdl
