#include "experiments/calibration/spike_slab.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sbdl::calibration {

double SpikeSlab::below(double value) const {
    const double slab = 0.5 * std::erfc((mean - value) / (sd * std::numbers::sqrt2));
    return probability * slab + (value > 0.0 ? 1.0 - probability : 0.0);
}

double SpikeSlab::at_most(double value) const {
    return below(value) + (value == 0.0 ? 1.0 - probability : 0.0);
}

double SpikeSlab::quantile(double share) const {
    if (below(0.0) < share && share <= at_most(0.0)) return 0.0;  // bisection would only come close
    constexpr double far = 40.0;  // standard deviations; the tail beyond is below the smallest double
    double low = std::min(0.0, mean - far * sd), high = std::max(0.0, mean + far * sd);
    while (true) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) return high;
        (at_most(middle) < share ? low : high) = middle;
    }
}

Interval SpikeSlab::interval(double share) const {
    return {quantile(0.5 * (1.0 - share)), quantile(0.5 * (1.0 + share))};
}

SpikeSlab spike_slab(double mean, double std, double probability, int draws) {
    // E x = p m and E x^2 = p (m^2 + v), so v = (Var x - (E x)^2 (1 - p) / p) / p: no large numbers cancel at p = 1.
    // The variance has to be that of the draws themselves: with draws - 1, v would be too large by (1 - p) m^2 / (draws
    // - 1), which is not small beside v when the noise is low.
    const double of_draws = draws > 0 ? (draws - 1.0) / draws : 1.0;
    const double whole = std * std * of_draws;
    const double slab = (whole - mean * mean * (1.0 - probability) / probability) / probability;
    // Rounding, or a slab that is narrow beside its distance from the spike, must not leave it without a width.
    constexpr double least = 1e-12;
    const double variance = std::max({slab, least * whole, std::numeric_limits<double>::min()});
    return {probability, mean / probability, std::sqrt(variance)};
}

double gaussian_half_width(double share) {
    return SpikeSlab{}.interval(share).high;
}

}  // namespace sbdl::calibration
