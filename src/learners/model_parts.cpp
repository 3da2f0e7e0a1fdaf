#include "learners/model_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/atoms_in_use.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

void set_reestimated_noise(const CodePass& pass, const Mat& D, double draws, std::uint64_t seed, std::uint32_t chain,
                           Model& model) {
    set_reestimated_noise(reestimate_noise(pass, D, seed, chain), pass.unit(), draws, model);
}

void set_reestimated_noise(const NoiseEstimate& estimate, double unit, double draws, Model& model) {
    model.noise_sd = unit * estimate.noise_sd;
    const std::vector<bool> used = atoms_in_use(model);
    const auto atoms = static_cast<double>(std::count(used.begin(), used.end(), true));
    // An atom has unit norm, so it has one number less than entries. A single draw is as far from the truth as it is
    // from the mean, which gives back what the fit takes. With so few signals that the atoms would take more than half,
    // counting is no longer accurate.
    const double by_atoms = (1.0 - 1.0 / draws) * atoms * static_cast<double>(model.signal_dim() - 1);
    const double left = std::max({estimate.freedom - by_atoms, 0.5 * estimate.freedom, 1.0});
    model.noise_sd *= std::sqrt(estimate.freedom / left);
    model.noise_sd_std = model.noise_sd / std::sqrt(2.0 * left * estimate.share_used);
}

void check_finite(int sweep, double noise_precision, const Mat& y_xt) {
    if (std::isfinite(noise_precision) && noise_precision > 0.0 && y_xt.allFinite()) return;
    throw NumericError(
        fmt::format("sweep {}: noise precision {} and codes are out of the range of double precision; do priors and "
                    "signals have the "
                    "same units?",
                    sweep + 1, noise_precision));
}

}  // namespace sbdl
