// BPFA, beta process factor analysis (Zhou and others 2012): every code entry is on or off, each atom with a
// probability of its own, all of it sampled. Infers the noise, how sparse the codes are and how many atoms are used,
// and accepts signals with missing entries (NaN); docs/methods/bpfa.md.
//
//     sbdl::BpfaOptions options;
//     options.atoms = 50;
//     sbdl::TrainResult result = sbdl::train(source, options, {.reconstruct = true});
//     result.reconstruction;   // the signals without noise and without gaps
#pragma once

#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// The defaults are the standard preset; `paper` starts the chain at once, without annealing and refreshed atoms.
/// NaN is a missing entry. A signal without any observed entry is ignored by default: its code and its reconstruction
/// are zero, and TrainResult::warnings counts such signals. Memory: a residual for each signal, as large as the signals
/// (twice that when entries are missing), and the entries that are on. Same seed, same result, whatever the number of
/// threads.
struct BpfaOptions {
    static constexpr std::string_view method = "bpfa";

    int atoms = 0;
    int burn_in = 500;
    int most_burn_in = 2500;
    int draws = 200;
    int thin = 1;
    int chains = 1;
    double usage_on = 1.0;
    double usage_off = 1.0;
    double code_shape = 1e-6;
    double code_rate = 1e-6;
    double noise_shape = 1e-6;
    double noise_rate = 1e-6;
    bool own_units = true;
    double anneal_growth = 0.0125;
    int refresh_every = 3;
    EmptySignals empty_signals = EmptySignals::ignore;
    bool keep_codes = false;

    static BpfaOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = BpfaOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("burn_in", &O::burn_in, 0, "Sweeps made before anything is kept.", 8e6),
            at_least("most_burn_in", &O::most_burn_in, 0,
                     "Where a share f of the entries is missing, burn-in is (1 + f) / (1 - f) times as long, at most "
                     "this; 0: never longer.",
                     8e6),
            at_least("draws", &O::draws, 1, "Sweeps made after burn-in.", 8e6),
            at_least("thin", &O::thin, 1, "Keep every thin-th sweep after burn-in.", 1e7),
            at_least("chains", &O::chains, 1, "Independent chains; two or more give R-hat across chains.", 1e4),
            above("usage_on", &O::usage_on, 0, "Beta prior of an atom's probability: prior count of signals with it.",
                  1e12),
            above("usage_off", &O::usage_off, 0,
                  "Beta prior of an atom's probability: prior count of signals without it.", 1e12),
            above("code_shape", &O::code_shape, 0, "Shape of the Gamma prior of the codes' precision.", 1e12),
            above("code_rate", &O::code_rate, 0, "Rate of the Gamma prior of the codes' precision."),
            above("noise_shape", &O::noise_shape, 0, "Shape of the Gamma prior of the noise precision.", 1e12),
            above("noise_rate", &O::noise_rate, 0, "Rate of the Gamma prior of the noise precision."),
            choice("own_units", &O::own_units,
                   "Scale the signals to unit root mean square internally, so that their units do not matter."),
            at_least("anneal_growth", &O::anneal_growth, 0,
                     "Relative increase per sweep of the cap on the noise precision in burn-in (faster in a short "
                     "one); 0: no annealing.",
                     1),
            at_least("refresh_every", &O::refresh_every, 0,
                     "Sweeps between replacements of duplicate and unused atoms in burn-in; 0: never replace.", 1e7),
            empty_signals_field<O>(),
            choice("keep_codes", &O::keep_codes,
                   "Also store posterior mean and standard deviation of the training codes in the model."),
        };
    }
};

}  // namespace sbdl
