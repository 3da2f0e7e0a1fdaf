// SimCO, simultaneous codeword optimisation (Dai, Xu, Wang 2012): supports by matching pursuit, then all atoms move
// together on their unit spheres to reduce the residual that the best codes on these supports leave. It needs the
// sparsity of the signals, or their noise (docs/methods/simco.md).
//
//     sbdl::SimcoOptions options;
//     options.atoms = 50;
//     options.sparsity = 3;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// The defaults are regularised SimCO; mu = 0 is the primitive one.
/// The model's noise_sd is the root mean square of the residuals; there is no posterior. Memory: the signals, a
/// residual for each, and the sparse codes. A sparsity larger than the atoms or a signal's entries is lowered, and
/// TrainResult::warnings says so.
struct SimcoOptions {
    static constexpr std::string_view method = "simco";

    int atoms = 0;
    int sweeps = 300;
    std::optional<int> sparsity;  ///< exactly one of these two is given
    std::optional<double> max_error;
    double mu = 0.05;
    int steps = 5;
    double duplicate_correlation = 0.9;
    int least_users = 4;
    double least_share = 0.5;
    bool keep_codes = false;

    static SimcoOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = SimcoOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Rounds made: all codes, then all atoms.", 1e7),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "Maximum number of atoms in a signal; give either this or the error.", 1e6)),
            needed(above("max_error", &O::max_error, 0,
                         "Add atoms until the norm of the residual is at most this; give this or the sparsity.")),
            at_least("mu", &O::mu, 0,
                     "Weight of the codes' squares in the first round, falling to 0 halfway; 0: primitive SimCO.", 1e6),
            at_least("steps", &O::steps, 1, "Steps of the atoms per round, each with a line search.", 1e6),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Replace atoms whose |correlation| with a more used one is above this; 1: never.", 1),
            at_least("least_users", &O::least_users, 0, "Replace atoms used by fewer signals than this; 0: never.",
                     1e9),
            at_least("least_share", &O::least_share, 0,
                     "In the first three quarters of the rounds, also replace atoms with fewer users than this "
                     "fraction of the mean; 0: never.",
                     1),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
