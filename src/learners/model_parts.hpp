// Parts of a model that several methods fill in the same way.
#pragma once

#include "pass/code_pass.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Sets the noise and its standard deviation by re-estimation (pass/noise_reestimation.hpp), which takes the dictionary
/// as exact. The atoms were fitted to the same signals, so their degrees of freedom are taken off here (docs/math.md,
/// N1).
void set_reestimated_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model);

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

}  // namespace sbdl
