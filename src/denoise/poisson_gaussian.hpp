// Noise that grows with the light: z = offset + gain * Poisson(counts) + Gaussian read noise, cut off at the ends of
// the scale. Its variance is a straight line in the mean (math.md, P8).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sbdl {

struct PoissonGaussian {
    double gain = 0.0;           ///< units of the samples per count; 0: the noise does not depend on brightness
    double read_variance = 0.0;  ///< of the Gaussian part
    double offset = 0.0;         ///< samples without light

    /// The variance of unclipped samples with this mean.
    [[nodiscard]] double variance(double mean) const { return gain * std::max(mean - offset, 0.0) + read_variance; }
    /// Where the line of the variance meets mean 0. Offset and read noise enter most formulas only through it.
    [[nodiscard]] double intercept() const { return read_variance - gain * offset; }
    /// The same line with the lowest offset that it can have. Where the offset is a guess, no brightness is then cut
    /// off, and the transform is the same.
    [[nodiscard]] PoissonGaussian with_least_offset() const {
        return gain > 0.0 && intercept() < 0.0 ? PoissonGaussian{gain, 0.0, -intercept() / gain} : *this;
    }
};

/// Nodes and weights for the mean of a function of a standard Gaussian number.
struct GaussianNodes {
    static constexpr std::size_t count = 33;
    std::array<double, count> at, weight;
    GaussianNodes();
};

/// Calls body(weight, mean, standard deviation) for the Gaussian distributions of which samples with this mean are a
/// mixture, before they are clipped: one for each count.
template <class Body>
void for_each_gaussian(const PoissonGaussian& noise, double mean, const Body& body) {
    constexpr double many = 100.0;  // counts whose distribution is nearly Gaussian
    const double counts = noise.gain > 0.0 ? std::max(mean - noise.offset, 0.0) / noise.gain : 2.0 * many;
    if (counts > many) {
        body(1.0, mean, std::sqrt(noise.variance(mean)));
        return;
    }
    const double sd = std::sqrt(noise.read_variance);
    const int last = static_cast<int>(counts + 10.0 * std::sqrt(counts)) + 10;
    double probability = std::exp(-counts);
    for (int k = 0; k <= last; ++k) {
        body(probability, noise.offset + noise.gain * k, sd);
        probability *= counts / (k + 1);
    }
}

/// The mean of f(z) over samples z with this mean, before they are clipped.
template <class Function>
double expected(const PoissonGaussian& noise, double mean, const Function& f) {
    static const GaussianNodes nodes;
    double sum = 0.0;
    for_each_gaussian(noise, mean, [&](double weight, double at, double sd) {
        if (sd == 0.0) {
            sum += weight * f(at);
            return;
        }
        double smeared = 0.0;
        for (std::size_t i = 0; i < GaussianNodes::count; ++i) smeared += nodes.weight[i] * f(at + sd * nodes.at[i]);
        sum += weight * smeared;
    });
    return sum;
}

}  // namespace sbdl
