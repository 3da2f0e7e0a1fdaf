// Parts of a model that several methods fill in the same way.
#pragma once

#include "pass/noise_reestimation.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Sets the noise and its standard deviation by re-estimation (pass/noise_reestimation.hpp), which takes the dictionary
/// as exact. The atoms were fitted to the same signals, so the degrees of freedom of those in use are taken off here
/// (docs/math.md, N1). D is the mean of so many draws; infinity: of a distribution. Call this once the model has its
/// dictionary, standard deviations and usage.
void set_reestimated_noise(const CodePass& pass, const Mat& D, double draws, std::uint64_t seed, std::uint32_t chain,
                           Model& model);
/// The same given the estimate for D, in units of `unit`.
void set_reestimated_noise(const NoiseEstimate& estimate, double unit, double draws, Model& model);

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

}  // namespace sbdl
