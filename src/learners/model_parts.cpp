#include "learners/model_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pass/noise_reestimation.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

void set_reestimated_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model) {
    const NoiseEstimate estimate = reestimate_noise(pass, D, seed, chain);
    model.noise_sd = pass.unit() * estimate.noise_sd;
    double variance = 0.0;  // of an entry of (D^ - D) x, on average
    for (std::size_t n = 0; n < model.dictionary_std.rows(); ++n) {
        double atom = 0.0;
        for (const double entry : model.dictionary_std.row(n)) atom += entry * entry;
        variance += model.atom_usage[n] * model.atom_usage[n] * atom / static_cast<double>(model.signal_dim());
    }
    const double quietest = std::sqrt(std::max(0.0, model.noise_sd * model.noise_sd - variance));
    model.noise_sd_std = std::hypot(pass.unit() * estimate.noise_sd_std, model.noise_sd - quietest);
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
