// Parts of a model that several methods fill in the same way.
#pragma once

#include "pass/code_pass.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Sets the noise by re-estimation (pass/noise_reestimation.hpp). Re-estimation takes the dictionary as exact, so
/// errors in the atoms count as noise there; noise_sd_std is widened by the amount that the dictionary's own
/// uncertainty could have added (docs/math.md, N1). Call this once the model has its dictionary, standard deviations
/// and usage.
void set_reestimated_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model);

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

}  // namespace sbdl
