// RLS-DLA, recursive least squares dictionary learning (Skretting, Engan 2010): after each signal the dictionary is the
// least squares fit to all signals so far. At first, older signals are gradually forgotten; later, nothing is
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
            at_least("batch", &O::batch, 1, "Signals coded together before the dictionary is updated with each.", 1e7),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "Maximum number of atoms in a signal; give either this or the error.", 1e6)),
            needed(above("max_error", &O::max_error, 0,
                         "Add atoms until the norm of the residual is at most this; give this or the sparsity.")),
            above("forgetting", &O::forgetting, 0,
                  "Forgetting factor at the first signal; it rises to 1, where nothing is forgotten.", 1),
            at_least("forget_share", &O::forget_share, 0,
                     "Fraction of all signals after which nothing is forgotten any more.", 1),
            above("forget_power", &O::forget_power, 0, "How the forgetting decays: 1 linearly; 2 or 3 faster at first.",
                  100),
            choice("order", &O::order, "Take signals at random (shuffled), or as they are stored, for huge files."),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Replace atoms whose |correlation| with a more used one is above this; 1: never.", 1),
            at_least("least_users", &O::least_users, 0, "Replace atoms used by fewer signals than this; 0: never.",
                     1e9),
            at_least("stream_signals", &O::stream_signals, 1,
                     "Number of signals in the whole stream, if several runs continue one another: schedules are "
                     "planned for all of them, and stale atoms are replaced between runs too; auto: this run only.",
                     2e9),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
