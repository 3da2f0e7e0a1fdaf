#include "denoise/clipped_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sbdl {
namespace {

constexpr double most_change = 0.4;  // of the variance, in one step, at any brightness

}  // namespace

ClippedStep::ClippedStep(const KnownNoise& known, const VarianceLine& present, const ClipLevels& levels, double from,
                         double to, double chosen_by, ShownBy shown)
    : known_(known), present_(present), curve_(present, levels, from, to, chosen_by, shown) {}

void ClippedStep::add(const ClippedCurve::Point& at, double value, double power) {
    const double off = distance(at, value, power);
    for (std::size_t i = 0; i < 2; ++i) {
        right_[i] += at.weight[i] * off - at.correction[i];
        for (std::size_t k = 0; k < 2; ++k) system_[i][k] += at.weight[i] * at.change[k];
    }
}

void ClippedStep::add(const ClippedStep& other, double weight) {
    for (std::size_t i = 0; i < 2; ++i) {
        right_[i] += weight * other.right_[i];
        for (std::size_t k = 0; k < 2; ++k) system_[i][k] += weight * other.system_[i][k];
    }
}

double ClippedStep::determinant() const {
    return system_[0][0] * system_[1][1] - system_[0][1] * system_[1][0];
}

// The best step from -> from + t direction.
std::optional<ClippedStep::Pair> ClippedStep::along(const Pair& direction, const Pair& from) const {
    double curvature = 0.0, slope = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
        slope += direction[i] * (right_[i] - system_[i][0] * from[0] - system_[i][1] * from[1]);
        for (std::size_t k = 0; k < 2; ++k) curvature += direction[i] * system_[i][k] * direction[k];
    }
    if (!(curvature > 0.0)) return std::nullopt;
    const double t = slope / curvature;
    return Pair{from[0] + t * direction[0], from[1] + t * direction[1]};
}

std::optional<ClippedStep::Pair> ClippedStep::step() const {
    if (known_.gain) return along({0.0, 1.0}, {*known_.gain - present_.gain, 0.0});
    if (known_.read_noise) {
        const double offset = known_.offset.value_or(0.0), least = *known_.read_noise * *known_.read_noise;
        return along({1.0, -offset}, {0.0, least - present_.gain * offset - present_.intercept});
    }
    if (!(determinant() > 0.0)) return std::nullopt;
    const Pair free{(right_[0] * system_[1][1] - right_[1] * system_[0][1]) / determinant(),
                    (right_[1] * system_[0][0] - right_[0] * system_[1][0]) / determinant()};
    const double gain = present_.gain + free[0], intercept = present_.intercept + free[1];
    if (gain < 0.0) return along({0.0, 1.0}, {-present_.gain, 0.0});
    if (known_.offset && intercept + gain * *known_.offset < 0.0)  // no read noise
        return along({1.0, -*known_.offset}, {0.0, -present_.gain * *known_.offset - present_.intercept});
    return free;
}

std::optional<VarianceLine> ClippedStep::next() const {
    const std::optional<Pair> wanted = step();
    if (!wanted || !std::isfinite((*wanted)[0]) || !std::isfinite((*wanted)[1])) return std::nullopt;
    double share = 1.0;
    for (const double mean : {curve_.darkest(), curve_.brightest()}) {
        const double change = std::abs((*wanted)[0] * mean + (*wanted)[1]);
        const double most = most_change * std::max(present_.gain * mean + present_.intercept, 0.0);
        if (change > most) share = std::min(share, std::max(most / change, 0.02));
    }
    VarianceLine line = present_;
    line.gain = std::max(line.gain + share * (*wanted)[0], 0.0);
    line.intercept += share * (*wanted)[1];
    return line;
}

ClippedStep::Errors ClippedStep::errors() const {
    if (!(determinant() > 0.0)) return {};
    return {system_[1][1] / determinant(), system_[0][0] / determinant(), -system_[0][1] / determinant()};
}

}  // namespace sbdl
