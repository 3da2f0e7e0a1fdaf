// The posterior of one code entry: zero with probability 1 - p, otherwise Gaussian.
#pragma once

namespace sbdl::calibration {

struct Interval {
    double low = 0.0, high = 0.0;
    [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

struct SpikeSlab {
    double probability = 1.0;  ///< p, of not being zero
    double mean = 0.0;         ///< of the Gaussian part, the slab
    double sd = 1.0;           ///< of the slab, above 0

    [[nodiscard]] double below(double value) const;    ///< P(x < value)
    [[nodiscard]] double at_most(double value) const;  ///< P(x <= value)
    /// The smallest value with P(x <= value) >= share, for a share between 0 and 1; exactly zero where that is the
    /// spike.
    [[nodiscard]] double quantile(double share) const;
    /// The equal-tailed interval. It holds at least `share`, and more when it ends at the spike.
    [[nodiscard]] Interval interval(double share) const;
    [[nodiscard]] double mass(const Interval& interval) const { return at_most(interval.high) - below(interval.low); }
};

/// With a probability above 0, and the given mean and standard deviation of the whole. They are those of `draws` draws
/// (the standard deviation with draws - 1), or exact moments when `draws` is 0.
SpikeSlab spike_slab(double mean, double std, double probability, int draws);

/// How many standard deviations from its mean the equal-tailed interval of a Gaussian ends: 1.96 for 0.95.
double gaussian_half_width(double share);

}  // namespace sbdl::calibration
