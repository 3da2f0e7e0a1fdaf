// Noise that was cut off at the ends of the scale, as windows of 8 x 8 pixels show it: which mean and which variance
// they have on average, and how far chance takes them from there (math.md, P8).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "denoise/clip_levels.hpp"
#include "denoise/poisson_gaussian.hpp"

namespace sbdl {

/// Mean, variance and the next two cumulants; and of the samples that are not at an end of the scale their share and
/// means, over all samples, of their distance from the mean and its square.
struct Cumulants {
    double mean, variance, third, fourth;
    double inside, inside_first, inside_second;
};

/// Of samples that had this mean before they were clipped.
Cumulants clipped_cumulants(const PoissonGaussian& noise, const ClipLevels& levels, double mean);

/// What samples have on average after clipping, over their mean before.
class ClippedMean {
public:
    /// For means between these two.
    ClippedMean(const PoissonGaussian& noise, const ClipLevels& levels, double from, double to);
    [[nodiscard]] double at(double mean) const;

private:
    double from_, step_;
    std::vector<double> after_;
};

/// The variance of the noise before clipping: gain * mean + intercept.
struct VarianceLine {
    double gain = 0.0, intercept = 0.0;
    std::optional<double> offset = {};  ///< if it is known; otherwise the least one for which no variance is negative

    [[nodiscard]] PoissonGaussian noise() const;
};

/// What tells how strong clipped noise is: the variance that is left, or, where hardly any is, the share of the samples
/// that are not at an end of the scale.
enum class ShownBy { variance, inside };

/// One of these in clipped windows over their mean, as they are observed: a curve instead of a line.
class ClippedCurve {
public:
    /// By gain and by intercept.
    using Pair = std::array<double, 2>;

    struct Point {
        double observed;          ///< mean after clipping
        double mean, variance;    ///< before clipping
        double left, inside;      ///< after it: the variance, and the share of the samples that are not at an end
        double value;             ///< the one of them that is fitted
        double spread;            ///< variance of a window's value about the curve
        double coupling;          ///< how much of a window's power above `left` is in its value
        Pair change;              ///< of `value` at the same observed mean, when the line changes
        Pair weight, correction;  ///< sums of weight * (what a window has - value) are those of `correction`
    };

    /// For observed means between `from` and `to`, and windows that are chosen by `chosen_by` coefficients.
    ClippedCurve(const VarianceLine& line, const ClipLevels& levels, double from, double to, double chosen_by,
                 ShownBy shown);

    [[nodiscard]] Point at(double observed) const;
    /// Means before clipping at which the curve begins and ends.
    [[nodiscard]] double darkest() const { return nodes_.front().point.mean; }
    [[nodiscard]] double brightest() const { return nodes_.back().point.mean; }

private:
    void add_nodes(const VarianceLine& line, const ClipLevels& levels, double from, double to);
    void add_statistics(double chosen_by);
    [[nodiscard]] double shown(const Cumulants& after) const;

    struct Node {
        Cumulants after;
        Point point;
    };
    ShownBy shown_;
    std::vector<Node> nodes_;  // in order of their observed mean
};

}  // namespace sbdl
