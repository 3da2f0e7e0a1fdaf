// SBDL-Gibbs: the paper's model by Gibbs sampling (docs/math.md, G). It infers the noise, the sparsity of the
// codes, and the uncertainty of both and of the atoms.
//
//     sbdl::GibbsOptions options = sbdl::GibbsOptions::preset(sbdl::Preset::standard, 50);
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// SBDL-Gibbs. The defaults are the standard preset.
struct GibbsOptions {
    static constexpr std::string_view method = "gibbs";

    int atoms = 0;
    DictionaryUpdate update = DictionaryUpdate::sequential;
    CodePrior prior = CodePrior::on_off;
    int burn_in = 900;
    int most_burn_in = 4500;
    int draws = 2000;
    int most_draws = 10000;
    int thin = 1;
    int chains = 1;
    double code_shape = 0.5;
    std::optional<double> code_rate;  // none: tied to the noise, see core_to_noise
    double core_to_noise = 0.2;
    double usage_on = 1.0;
    double usage_off = 1.0;
    double slab_shape = 0.5;
    double slab_rate = 0.5;
    double noise_shape = 0.5;
    double noise_rate = 1e-12;
    double atom_variance = 1.0;
    bool own_units = true;
    double anneal_growth = 0.0125;
    int refresh_every = 3;
    bool average = true;
    bool reestimate_noise = true;
    EmptySignals empty_signals = EmptySignals::refuse;
    bool keep_codes = false;

    static GibbsOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = GibbsOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            choice("update", &O::update, "Draw the atoms one at a time (sequential) or all at once (joint)."),
            choice("prior", &O::prior,
                   "Prior of the codes in the kept sweeps: on-off, or the paper's student-t throughout."),
            at_least("burn_in", &O::burn_in, 0,
                     "Sweeps made before anything is kept. With prior on-off the first two thirds search with the "
                     "paper's prior, and the rest settle.",
                     8e6),
            at_least("most_burn_in", &O::most_burn_in, 0,
                     "Where a share f of the entries is missing, burn-in is (1 + f) / (1 - f) times as long, at most "
                     "this; 0: never longer.",
                     8e6),
            at_least("draws", &O::draws, 1, "Sweeps made after burn-in.", 8e6),
            at_least(
                "most_draws", &O::most_draws, 0,
                "Maximum number of draws. A chain continues until its effective sample size is at least 100 and its "
                "R-hat at most 1.05, unless R-hat is above 1.3; 0: never continue.",
                8e6),
            at_least("thin", &O::thin, 1, "Keep every thin-th sweep after burn-in.", 1e7),
            at_least("chains", &O::chains, 1, "Independent chains; two or more give R-hat across chains.", 1e4),
            above("code_shape", &O::code_shape, 0, "Shape a of the Gamma prior of code precisions.", 1e6),
            above("code_rate", &O::code_rate, 0,
                  "Rate b of the Gamma prior of code precisions; 'auto' ties it to the noise in burn-in."),
            only_with(
                "code_rate auto", [](const O& o) { return !o.code_rate; },
                above("core_to_noise", &O::core_to_noise, 0,
                      "With --code-rate auto: scale of the code prior's core over the noise standard deviation.", 1e6)),
            with_on_off(above(
                "usage_on", &O::usage_on, 0,
                "With prior on-off: Beta prior of an atom's probability, as a count of signals that use it.", 1e6)),
            with_on_off(above(
                "usage_off", &O::usage_off, 0,
                "With prior on-off: Beta prior of an atom's probability, as a count of signals that do not use it.",
                1e6)),
            with_on_off(above("slab_shape", &O::slab_shape, 0,
                              "With prior on-off: shape of the Gamma prior of the precision of codes that are on.",
                              1e6)),
            with_on_off(above("slab_rate", &O::slab_rate, 0,
                              "With prior on-off: rate of the Gamma prior of the precision of codes that are on.")),
            above("noise_shape", &O::noise_shape, 0, "Shape c of the Gamma prior of the noise precision."),
            above("noise_rate", &O::noise_rate, 0, "Rate d of the Gamma prior of the noise precision."),
            above("atom_variance", &O::atom_variance, 0, "Prior variance beta of an atom's entries."),
            choice("own_units", &O::own_units,
                   "Scale the signals to unit root mean square internally, so that their units do not matter."),
            at_least("anneal_growth", &O::anneal_growth, 0,
                     "Relative increase per sweep of the cap on the noise precision in burn-in (faster in a short "
                     "one); 0: no annealing.",
                     1),
            at_least("refresh_every", &O::refresh_every, 0,
                     "Sweeps between replacements of duplicate and unused atoms in burn-in; 0: never replace.", 1e7),
            choice("average", &O::average,
                   "Estimate the dictionary by its mean over the kept sweeps, not by the last one."),
            with_student_t(
                choice("reestimate_noise", &O::reestimate_noise,
                       "With prior student-t: re-estimate the noise with on/off codes, which do not absorb noise.")),
            empty_signals_field<O>(),
            choice("keep_codes", &O::keep_codes,
                   "Also store posterior mean and standard deviation of the training codes in the model."),
        };
    }
};

}  // namespace sbdl
