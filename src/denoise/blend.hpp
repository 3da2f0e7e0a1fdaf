// The share of the first estimate of an image in the final one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "denoise/plane.hpp"

namespace sbdl {

struct Autocovariance;

/// Estimates of a plane by the two passes.
struct TwoEstimates {
    Plane pilot;      ///< by pursuit
    Plane posterior;  ///< by the posterior of every patch
};

/// The share w, 0 to 1, that brings posterior + w (pilot - posterior) closest to the unknown image, by Stein's unbiased
/// risk estimate. To find how the estimates follow the noise, `passes` is called once more, on the plane plus a little
/// known noise; for a large plane, on its middle only.
/// Where the noise is correlated, `correlated` is its autocovariance, and sigma does not count.
double pilot_share(const Plane& noisy, const TwoEstimates& estimates, double sigma, std::uint64_t seed, int threads,
                   const std::function<TwoEstimates(const Plane&)>& passes, const Autocovariance* correlated = nullptr);

/// Pixels of all the planes that pilot_share() calls `passes` with, so that progress can be reported.
std::size_t pixels_for_pilot_share(std::size_t height, std::size_t width);
inline std::size_t pixels_for_pilot_share(const Plane& noisy) {
    return pixels_for_pilot_share(noisy.rows(), noisy.cols());
}

}  // namespace sbdl
