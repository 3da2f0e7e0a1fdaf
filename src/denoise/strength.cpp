#include "denoise/strength.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "denoise/patches.hpp"

namespace sbdl {
namespace {

constexpr double least_variation = 0.2;  // of a clean image, in units of the noise; or only noise
constexpr double least_mark = 3.0;       // the same for the pixel that stands out most
// Patches stronger than `strong`, in units of the noise (patch_strength()), are coded with few atoms, and learned from
// as if they were weaker: without noise to hide detail codes are not sparse, and take many times as long. Noise of 5 on
// images of 0 to 255 gives at most some 50.
constexpr double strong = 100.0, strong_enough = 30.0;

/// Distances of the values of a plane from their mean.
struct Variation {
    double variance = 0.0, farthest = 0.0;
};

Variation variation(const Plane& plane) {
    const auto size = static_cast<double>(plane.size());
    double mean = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) mean += plane[i] / size;
    Variation result;
    for (std::size_t i = 0; i < plane.size(); ++i) {
        const double off = std::abs(plane[i] - mean);
        result.variance += off * off / size;
        result.farthest = std::max(result.farthest, off);
    }
    return result;
}

}  // namespace

LearningScale learning_scale(const Matrix& plane, PatchSize patch, double noise, const Whitening* whitening,
                             bool weaken) {
    const double unit = whitening != nullptr ? 1.0 : noise;
    const double strength = patch_strength(plane, patch, unit, whitening);
    const bool too_strong = strength > (whitening != nullptr ? strong_enough : strong);
    if (!weaken || !too_strong) return {unit, false};
    return {unit * std::sqrt(strength / strong_enough), whitening == nullptr};
}

bool hardly_vary(std::span<const Plane> clean, double noise) {
    double squares = 0.0, farthest = 0.0;
    for (const Plane& plane : clean) {
        const Variation here = variation(plane);
        squares += here.variance;
        farthest = std::max(farthest, here.farthest);
    }
    noise *= std::sqrt(static_cast<double>(clean.size()));
    return squares < least_variation * least_variation * noise * noise && farthest < least_mark * noise;
}

}  // namespace sbdl
