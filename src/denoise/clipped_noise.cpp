#include "denoise/clipped_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t curve_nodes = 160, mean_nodes = 256;
constexpr double beyond = 3.0;       // noise standard deviations by which the curve reaches over both ends
constexpr double least_step = 1e-4;  // of an even step between observed means; a curve of all clipped ones ends
constexpr double window_pixels = dct_side * dct_side;
constexpr double finest_coefficients = 15.0;  // that measure the variance
constexpr double least_spread = 0.2;          // of that which a window with an exact mean would have

/// Means of powers of (z - reference), z being clipped.
using Powers = std::array<double, 5>;

/// Adds those of a Gaussian number to `inside`, as far as it is not clipped, and the rest to `ends`.
void add_gaussian(double weight, double centre, double sd, const ClipLevels& levels, double reference, Powers& inside,
                  Powers& ends) {
    const auto add_value = [&](double share, double value, Powers& sum) {
        double power = weight * share;
        for (double& part : sum) {
            part += power;
            power *= value - reference;
        }
    };
    if (sd == 0.0) {
        const bool within = levels.low < centre && centre < levels.high;
        return add_value(1.0, std::clamp(centre, levels.low, levels.high), within ? inside : ends);
    }
    const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
    const auto density = [](double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); };
    // Integrals of x^k times the density between the levels, by parts.
    Powers between{};
    struct End {
        double at, density;
    };
    const auto end_of = [&](double level) {
        return std::isinf(level) ? End{0.0, 0.0} : End{(level - centre) / sd, density((level - centre) / sd)};
    };
    const End low = end_of(levels.low), high = end_of(levels.high);
    const double share_low = std::isinf(levels.low) ? 0.0 : below(low.at);
    const double share_high = std::isinf(levels.high) ? 0.0 : below(-high.at);
    between[0] = std::max(1.0 - share_low - share_high, 0.0);
    between[1] = low.density - high.density;
    double power_low = low.at * low.density, power_high = high.at * high.density;
    for (std::size_t k = 2; k < between.size(); ++k) {
        between[k] = static_cast<double>(k - 1) * between[k - 2] + power_low - power_high;
        power_low *= low.at;
        power_high *= high.at;
    }
    // (shift + sd x)^k
    constexpr std::array<std::array<double, 5>, 5> binomial{
        {{1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}}};
    const double shift = centre - reference;
    Powers shifts{1.0}, scales{1.0};
    for (std::size_t k = 1; k < shifts.size(); ++k) {
        shifts[k] = shifts[k - 1] * shift;
        scales[k] = scales[k - 1] * sd;
    }
    for (std::size_t k = 0; k < inside.size(); ++k)
        for (std::size_t j = 0; j <= k; ++j)
            inside[k] += weight * binomial[k][j] * shifts[k - j] * scales[j] * between[j];
    if (share_low > 0.0) add_value(share_low, levels.low, ends);
    if (share_high > 0.0) add_value(share_high, levels.high, ends);
}

/// The derivative of y by x at node i, and the second one.
struct Derivatives {
    double first, second;
};

template <class X, class Y>
Derivatives derivatives(std::size_t i, std::size_t count, const X& x, const Y& y) {
    const std::size_t middle = std::clamp<std::size_t>(i, 1, count - 2);
    const double left = x(middle) - x(middle - 1), right = x(middle + 1) - x(middle);
    const double before = (y(middle) - y(middle - 1)) / left, after = (y(middle + 1) - y(middle)) / right;
    const double second = 2.0 * (after - before) / (left + right);
    const double first = (before * right + after * left) / (left + right);
    return {first + second * (x(i) - x(middle)), second};
}

}  // namespace

Cumulants clipped_cumulants(const PoissonGaussian& noise, const ClipLevels& levels, double mean) {
    const double reference = std::clamp(mean, levels.low, levels.high);
    Powers inside{}, ends{}, all{};
    for_each_gaussian(noise, mean, [&](double weight, double centre, double sd) {
        add_gaussian(weight, centre, sd, levels, reference, inside, ends);
    });
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = inside[k] + ends[k];
    for (std::size_t k = all.size(); k-- > 0;) {
        inside[k] /= all[0];
        all[k] /= all[0];
    }
    const double first = all[1], second = all[2], third = all[3], fourth = all[4];
    const double square = first * first;
    const double variance = std::max(second - square, 0.0);
    return {.mean = reference + first,
            .variance = variance,
            .third = third - 3.0 * first * second + 2.0 * first * square,
            .fourth = fourth - 4.0 * first * third + 6.0 * square * second - 3.0 * square * square -
                      3.0 * variance * variance,
            .inside = inside[0],
            .inside_first = inside[1] - first * inside[0],
            .inside_second = inside[2] - 2.0 * first * inside[1] + square * inside[0]};
}

ClippedMean::ClippedMean(const PoissonGaussian& noise, const ClipLevels& levels, double from, double to)
    : from_(from), step_((to - from) / (mean_nodes - 1)) {
    for (std::size_t i = 0; i < mean_nodes; ++i)
        after_.push_back(clipped_cumulants(noise, levels, from + step_ * static_cast<double>(i)).mean);
}

double ClippedMean::at(double mean) const {
    if (!(step_ > 0.0)) return after_.front();
    const double place = std::clamp((mean - from_) / step_, 0.0, mean_nodes - 1.0);
    const auto i = std::min(static_cast<std::size_t>(place), mean_nodes - 2);
    return std::lerp(after_[i], after_[i + 1], place - static_cast<double>(i));
}

PoissonGaussian VarianceLine::noise() const {
    PoissonGaussian found{gain, 0.0, offset.value_or(0.0)};
    if (!offset && gain > 0.0) found.offset = std::max(0.0, -intercept / gain);
    found.read_variance = std::max(intercept + gain * found.offset, 0.0);
    return found;
}

ClippedCurve::ClippedCurve(const VarianceLine& line, const ClipLevels& levels, double from, double to, double chosen_by,
                           ShownBy shown)
    : shown_(shown) {
    add_nodes(line, levels, from, to);
    add_statistics(chosen_by);
}

double ClippedCurve::shown(const Cumulants& after) const {
    return shown_ == ShownBy::variance ? after.variance : after.inside;
}

void ClippedCurve::add_nodes(const VarianceLine& line, const ClipLevels& levels, double from, double to) {
    const PoissonGaussian noise = line.noise();
    const double margin = beyond * std::sqrt(noise.variance(to)) + 1e-6 * (to - from);
    const double first = noise.gain > 0.0 ? std::max(noise.offset, from - margin) : from - margin;
    const double last = std::max(to, first) + margin;
    const double middle_variance = std::max(noise.variance(0.5 * (first + last)), 1e-300);
    const double by_intercept = 1e-4 * middle_variance, by_gain = by_intercept / std::max(last - first, 1e-300);
    const PoissonGaussian steeper = VarianceLine{line.gain + by_gain, line.intercept, line.offset}.noise();
    const PoissonGaussian higher = VarianceLine{line.gain, line.intercept + by_intercept, line.offset}.noise();
    for (std::size_t i = 0; i < curve_nodes; ++i) {
        const double mean = std::lerp(first, last, static_cast<double>(i) / (curve_nodes - 1));
        Node node{clipped_cumulants(noise, levels, mean), {}};
        const double least = nodes_.empty() ? 0.0 : least_step * (last - first) / curve_nodes;
        if (!nodes_.empty() && node.after.mean - nodes_.back().after.mean <= least) continue;
        const Cumulants with_gain = clipped_cumulants(steeper, levels, mean);
        const Cumulants with_intercept = clipped_cumulants(higher, levels, mean);
        node.point.observed = node.after.mean;
        node.point.mean = mean;
        node.point.variance = noise.variance(mean);
        node.point.left = node.after.variance;
        node.point.inside = node.after.inside;
        node.point.value = shown(node.after);
        // How value and mean change at the same brightness; add_statistics() turns it into the same observed mean.
        node.point.change = {(shown(with_gain) - node.point.value) / by_gain,
                             (shown(with_intercept) - node.point.value) / by_intercept};
        node.point.weight = {(with_gain.mean - node.after.mean) / by_gain,
                             (with_intercept.mean - node.after.mean) / by_intercept};
        nodes_.push_back(node);
    }
}

// What chance does to the mean m of a window, to its value y, and to the mean square q of the coefficients by which it
// was chosen. What counts are distances from the curves at m: y - value(m) and q - left(m). The second explains a part
// of the first; the rest does not depend on how windows were chosen.
void ClippedCurve::add_statistics(double chosen_by) {
    if (nodes_.size() < 3) return;
    const auto observed = [this](std::size_t i) { return nodes_[i].point.observed; };
    const auto left = [this](std::size_t i) { return nodes_[i].point.left; };
    const auto value = [this](std::size_t i) { return nodes_[i].point.value; };
    struct WithMean {
        double covariance, bias;
    };
    std::vector<WithMean> with_mean;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Point& point = nodes_[i].point;
        const Cumulants& after = nodes_[i].after;
        const Derivatives of_left = derivatives(i, nodes_.size(), observed, left);
        const Derivatives of_value = derivatives(i, nodes_.size(), observed, value);
        // All covariances are those of one pixel over 64.
        const bool inside = shown_ == ShownBy::inside;
        const double square = point.left * point.left;
        const double own = inside ? after.inside * (1.0 - after.inside)
                                  : 2.0 * window_pixels / finest_coefficients * square + after.fourth;
        const double y_m = inside ? after.inside_first : after.third;
        const double y_q = inside ? after.inside_second - after.variance * after.inside : after.fourth;
        const double off_q = std::max(2.0 * window_pixels / chosen_by * square + after.fourth +
                                          of_left.first * (of_left.first * point.left - 2.0 * after.third),
                                      window_pixels / chosen_by * square);
        const double both = y_q - of_left.first * y_m - of_value.first * (after.third - of_left.first * point.left);
        point.coupling = off_q > 0.0 ? both / off_q : 0.0;
        const double off_y = own + of_value.first * (of_value.first * point.left - 2.0 * y_m);
        point.spread = std::max(off_y - both * point.coupling, least_spread * own) / window_pixels;
        const double slope = of_value.first - point.coupling * of_left.first;
        const double bend = of_value.second - point.coupling * of_left.second;
        with_mean.push_back({(y_m - point.coupling * after.third - slope * point.left) / window_pixels,
                             -0.5 * bend * point.left / window_pixels});
        for (std::size_t k = 0; k < 2; ++k) {
            point.change[k] -= of_value.first * point.weight[k];
            point.weight[k] = point.spread > 0.0 ? point.change[k] / point.spread : 0.0;
        }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (std::size_t k = 0; k < 2; ++k) {
            const auto weight = [this, k](std::size_t n) { return nodes_[n].point.weight[k]; };
            nodes_[i].point.correction[k] =
                derivatives(i, nodes_.size(), observed, weight).first * with_mean[i].covariance +
                weight(i) * with_mean[i].bias;
        }
}

ClippedCurve::Point ClippedCurve::at(double observed) const {
    const auto above = std::upper_bound(nodes_.begin() + 1, nodes_.end() - 1, observed,
                                        [](double value, const Node& node) { return value < node.point.observed; });
    const Point &a = (above - 1)->point, &b = above->point;
    // Means beyond the ends are chance: the curve goes on as a line, everything else stays.
    const double along = (observed - a.observed) / (b.observed - a.observed), share = std::clamp(along, 0.0, 1.0);
    const auto pair = [share](const Pair& x, const Pair& y) {
        return Pair{std::lerp(x[0], y[0], share), std::lerp(x[1], y[1], share)};
    };
    return {observed,
            std::lerp(a.mean, b.mean, share),
            std::lerp(a.variance, b.variance, share),
            std::lerp(a.left, b.left, along),
            std::lerp(a.inside, b.inside, share),
            std::lerp(a.value, b.value, along),
            std::lerp(a.spread, b.spread, share),
            std::lerp(a.coupling, b.coupling, share),
            pair(a.change, b.change),
            pair(a.weight, b.weight),
            pair(a.correction, b.correction)};
}

}  // namespace sbdl
