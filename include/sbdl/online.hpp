// Online dictionary learning (Mairal, Bach, Ponce, Sapiro 2010): codes of a batch of signals, then the atoms by block
// coordinate descent on statistics of all batches so far. For many signals, more than fit in memory; it has to be
// given the sparsity of the codes, in one form or another (docs/methods/online.md).
//
//     sbdl::OnlineOptions options;
//     options.atoms = 256;
//     options.sparsity = 5;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"
#include "sbdl/stream.hpp"

namespace sbdl {

/// The model's noise_sd is the root mean square of the residuals as signals were coded in the last pass. A run
/// that starts from a model of this method continues its stream: the model holds the statistics. Same seed, same
/// result, whatever the number of threads.
struct OnlineOptions {
    static constexpr std::string_view method = "online";

    int atoms = 0;
    int sweeps = 100;
    int batch = 256;
    std::optional<int> sparsity;  ///< exactly one of these three is given
    std::optional<double> max_error;
    std::optional<double> lambda;
    double forget = 2.0;
    StreamOrder order = StreamOrder::shuffled;
    bool keep_codes = false;

    static OnlineOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = OnlineOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Passes over all signals.", 1e7),
            at_least("batch", &O::batch, 1, "Signals coded between two updates of the atoms.", 1e7),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "Maximum number of atoms in a signal; give this, the error or lambda.", 1e6)),
            needed(
                above("max_error", &O::max_error, 0,
                      "Add atoms until the norm of the residual is at most this; give this, the sparsity or lambda.")),
            needed(
                above("lambda", &O::lambda, 0,
                      "Weight of the l1 norm of codes, in the signals' units; give this, the sparsity or the error.")),
            at_least("forget", &O::forget, 0,
                     "How fast old batches fade: 1 remembers about one pass, 2 half of one; 0: nothing is forgotten.",
                     1e6),
            choice("order", &O::order, "Take signals at random (shuffled), or as they are stored, for huge files."),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
