// Dictionary learning by majorization (Yaghoobi, Blumensath, Davies 2009): minimises 1/2 ||Y - D X||^2 + lambda ||X||_1
// with atoms of unit norm, by steps that never increase it. It needs the weight lambda
// (docs/methods/majorization.md).
//
//     sbdl::MajorizationOptions options;
//     options.atoms = 50;
//     options.lambda = 0.2;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// The model's noise_sd is the root mean square of the residuals; there is no posterior. Memory: the residuals, as
/// large as the signals, and the codes, a number for each atom of each signal. Same seed, same result, whatever the
/// number of threads.
struct MajorizationOptions {
    static constexpr std::string_view method = "majorization";

    int atoms = 0;
    int sweeps = 300;
    std::optional<double> lambda;
    int steps = 50;
    double tolerance = 1e-4;
    double duplicate_correlation = 0.99;
    int least_users = 4;
    bool keep_codes = false;

    static MajorizationOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = MajorizationOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Rounds made: all codes, then all atoms.", 1e7),
            needed(above("lambda", &O::lambda, 0, "Weight of the codes' absolute values, in the signals' units.")),
            at_least("steps", &O::steps, 1, "Maximum number of steps per round, for the codes and for the atoms.", 1e6),
            at_least("tolerance", &O::tolerance, 0,
                     "Stop the steps when the largest change is below this fraction of the signals' root mean square.",
                     1),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Replace atoms whose |correlation| with a more used one is above this; 1: never.", 1),
            at_least("least_users", &O::least_users, 0, "Replace atoms used by fewer signals than this; 0: never.",
                     1e9),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
