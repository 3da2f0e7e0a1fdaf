// APrU-DL (Sadeghi, Babaie-Zadeh, Jutten 2014) with FISTA: codes by the lasso, then each atom together with its
// profile, its row of codes, which may gain and lose signals on the way. It needs two weights
// (docs/methods/apru.md).
//
//     sbdl::ApruOptions options;
//     options.atoms = 50;
//     options.lambda = 0.2;
//     options.lambda_s = 0.15;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// Where the two weights come from.
enum class ApruParameters {
    own,  ///< lambda and lambda_s are given
    f,    ///< 0.2 and 0.15: APrU-DL-F of the paper, the best for its synthetic signals
    l     ///< 0.4 and 0.4: APrU-DL-L of the paper, which are somewhat off
};
constexpr std::array<std::string_view, 3> words_of(ApruParameters) {
    return {"own", "f", "l"};
}

/// The model's noise_sd is the root mean square of the residuals; there is no posterior. Memory: the residuals, as
/// large as the signals, and the codes, a number for each atom of each signal. Same seed, same result, whatever the
/// number of threads.
struct ApruOptions {
    static constexpr std::string_view method = "apru";

    int atoms = 0;
    int sweeps = 300;
    ApruParameters parameters = ApruParameters::own;
    std::optional<double> lambda;  ///< both are given, or neither and `parameters`
    std::optional<double> lambda_s;
    int steps = 15;
    int passes = 3;
    double duplicate_correlation = 0.99;
    int least_users = 4;
    bool keep_codes = false;

    static ApruOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = ApruOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Rounds made: all codes, then all atoms.", 1e7),
            choice(
                "parameters", &O::parameters,
                "The two weights of the codes: your own, or the paper's for its synthetic signals: f (0.2 and 0.15) or "
                "l (0.4 and 0.4)."),
            needed(above("lambda", &O::lambda, 0,
                         "Weight of the codes' absolute values while atoms are updated, in the signals' units.")),
            needed(above("lambda_s", &O::lambda_s, 0, "Weight of the codes' absolute values while signals are coded.")),
            at_least("steps", &O::steps, 1, "FISTA steps per round, starting from the codes of the previous one.", 1e6),
            at_least("passes", &O::passes, 1, "Number of times each atom is updated per round.", 1e6),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Replace atoms whose |correlation| with a more used one is above this; 1: never.", 1),
            at_least("least_users", &O::least_users, 0, "Replace atoms used by fewer signals than this; 0: never.",
                     1e9),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
