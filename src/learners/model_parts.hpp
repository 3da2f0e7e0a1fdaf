// Parts of a model that several methods fill alike.
#pragma once

#include "pass/code_pass.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Sets the noise by re-estimation (pass/noise_reestimation.hpp), which takes the dictionary as exact, so that the
/// error of the atoms counts as noise there: noise_sd_std is widened by as much as the dictionary's own uncertainty
/// could have added. To be called once the model has its dictionary, standard deviations and usage.
void set_reestimated_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model);

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

}  // namespace sbdl
