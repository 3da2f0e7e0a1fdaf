// The overcomplete DCT: a fixed dictionary of cosines, the baseline for learned ones (docs/methods/dct.md).
//
//     sbdl::DctOptions options;
//     options.atoms = 256;
//     options.patch = 8;      // signals are patches of 8 x 8 pixels
//     options.sparsity = 5;   // of the codes
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// Learns nothing, but codes all signals once: the model's noise_sd is the root mean square of the residuals. Needs
/// memory for a batch of signals only, unless codes are kept.
struct DctOptions {
    static constexpr std::string_view method = "dct";

    int atoms = 0;
    int patch = 0;
    std::optional<int> sparsity;  ///< exactly one of these two is given
    std::optional<double> max_error;
    bool keep_codes = false;

    static DctOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = DctOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms; a square number for patches.", 1e6),
            at_least("patch", &O::patch, 0,
                     "Side of the patches, if signals are square patches; 0: one-dimensional signals.", 1e4),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "Maximum number of atoms in a signal; give either this or the error.", 1e6)),
            needed(above("max_error", &O::max_error, 0,
                         "Add atoms until the norm of the residual is at most this; give this or the sparsity.")),
            choice("keep_codes", &O::keep_codes, "Also store the training codes in the model."),
        };
    }
};

}  // namespace sbdl
