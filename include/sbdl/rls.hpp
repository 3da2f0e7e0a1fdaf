// RLS-DLA, recursive least squares dictionary learning (Skretting, Engan 2010): after each signal the dictionary is the
// least squares fit to all signals so far, older ones forgotten little by little at first and not at all later
// (docs/methods/rls.md).
//
//     sbdl::RlsOptions options;
//     options.atoms = 50;
//     options.sparsity = 3;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"
#include "sbdl/stream.hpp"

namespace sbdl {

/// The model's noise_sd is the root mean square of the residuals as signals were coded in the last pass. Same seed,
/// same result, whatever the number of threads.
struct RlsOptions {
    static constexpr std::string_view method = "rls";

    int atoms = 0;
    int sweeps = 100;
    int batch = 32;
    std::optional<int> sparsity;  ///< exactly one of these two is given
    std::optional<double> max_error;
    double forgetting = 0.99;
    double forget_share = 0.85;
    double forget_power = 1.0;
    StreamOrder order = StreamOrder::shuffled;
    double duplicate_correlation = 0.99;
    int least_users = 4;
    std::optional<int> stream_signals;  ///< none: those of this run
    bool keep_codes = false;

    /// `paper` codes signal by signal and replaces no atoms, as the authors do.
    static RlsOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = RlsOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Passes over all signals.", 1e7),
            at_least("batch", &O::batch, 1, "Signals coded at once, before the dictionary follows each of them.", 1e7),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "The most atoms in a signal; this or the error it may have must be given.", 1e6)),
            needed(above("max_error", &O::max_error, 0,
                         "Take atoms until the residual's norm is at most this; this or the sparsity must be given.")),
            above(
                "forgetting", &O::forgetting, 0,
                "What weight all signals before keep when the first comes; it rises to 1, where nothing is forgotten.",
                1),
            at_least("forget_share", &O::forget_share, 0,
                     "After this share of all signals to come nothing is forgotten any more.", 1),
            above("forget_power", &O::forget_power, 0, "How the forgetting falls: 1 straight, 2, 3 faster at first.",
                  100),
            choice("order", &O::order, "Take signals at random (shuffled), or as they are stored, for huge files."),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Atoms whose |correlation| with a more used one is above this are replaced; 1: never.", 1),
            at_least("least_users", &O::least_users, 0, "Atoms that fewer signals use are replaced; 0: never.", 1e9),
            at_least("stream_signals", &O::stream_signals, 1,
                     "Signals of the whole stream, where runs go on from each other: what changes on the way is "
                     "planned for these, and stale atoms replaced between runs; auto: those of this run.",
                     2e9),
            choice("keep_codes", &O::keep_codes, "Also return the training codes."),
        };
    }
};

}  // namespace sbdl
