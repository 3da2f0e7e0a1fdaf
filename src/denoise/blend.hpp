// How much of the first estimate of an image belongs into the final one.
#pragma once

#include <cstdint>
#include <functional>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// What the two passes make of a plane.
struct TwoEstimates {
    Matrix pilot;      ///< by pursuit
    Matrix posterior;  ///< by the posterior of every patch
};

/// The share w, 0 to 1, that makes posterior + w (pilot - posterior) closest to the image nobody has seen, by Stein's
/// unbiased estimate of the risk. How the estimates follow the noise is found by calling `passes` once more, on the
/// plane plus a little known noise; of a large plane only the middle is taken.
double pilot_share(const Matrix& noisy, const TwoEstimates& estimates, double sigma, std::uint64_t seed,
                   const std::function<TwoEstimates(const Matrix&)>& passes);

}  // namespace sbdl
