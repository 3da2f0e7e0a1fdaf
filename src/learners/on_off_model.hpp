// What the models with on/off codes (pass/on_off_codes.hpp) share: the priors of the probabilities and precisions,
// their conditional draws, and the log density.
//
//     probability_n ~ Beta(usage_on, usage_off)      code precision ~ Gamma      noise precision ~ Gamma
#pragma once

#include "pass/on_off_codes.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

struct OnOffHyper {
    double usage_on = 1.0, usage_off = 1.0;
    double code_shape = 0.5, code_rate = 0.5;
    double noise_shape = 0.5, noise_rate = 1e-12;
};

/// Those of gibbs and vb, which share the names of their options.
template <class Options>
OnOffHyper on_off_hyper(const Options& options) {
    return {.usage_on = options.usage_on,
            .usage_off = options.usage_off,
            .code_shape = options.slab_shape,
            .code_rate = options.slab_rate,
            .noise_shape = options.noise_shape,
            .noise_rate = options.noise_rate};
}

/// The model's part: the priors, and posterior means.
OnOffPrior on_off_prior(const OnOffHyper& hyper, double code_precision, const Vec& probability);

/// What a sweep of the codes leaves behind.
struct OnOffSums {
    Vec users;        ///< how many signals use each atom
    Vec code_energy;  ///< sum of squares of each atom's codes
    double residual_sq = 0.0;
    double signals = 0.0;  ///< how many there are
    double values = 0.0;   ///< how many observed entries they have
};

/// probability_n | codes ~ Beta(usage_on + users_n, usage_off + signals - users_n).
void draw_probabilities(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws, Vec& probability);

/// code precision | codes ~ Gamma(code_shape + sum users / 2, code_rate + sum energy / 2).
double draw_code_precision(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws);

/// noise precision | residual ~ Gamma(noise_shape + values / 2, noise_rate + residual_sq / 2).
double draw_noise_precision(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws);

/// The log joint density of signals, codes, probabilities and precisions, given the atoms.
double on_off_log_density(const OnOffHyper& hyper, const OnOffSums& sums, const OnOffState& state);

}  // namespace sbdl
