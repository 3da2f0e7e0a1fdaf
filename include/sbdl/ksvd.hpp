// K-SVD (Aharon, Elad, Bruckstein 2006): sparse codes by matching pursuit, then the atoms one at a time, each with the
// codes of the signals that use it. Quick, and good if the sparsity or the noise of the signals is known: unlike gibbs
// and vb it needs one of the two (docs/methods/ksvd.md).
//
//     sbdl::KsvdOptions options;
//     options.atoms = 50;
//     options.sparsity = 3;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// How an atom and the codes of its users are fitted to what the other atoms leave of these signals.
enum class KsvdUpdate {
    exact,       ///< the best rank-one fit, a singular value decomposition
    approximate  ///< one step of a power iteration towards it: as good in the end, and quicker
};
constexpr std::array<std::string_view, 2> words_of(KsvdUpdate) {
    return {"exact", "approximate"};
}

/// The defaults are the standard preset; `paper` follows the authors: the exact update, and atoms are replaced only
/// when hardly any signal uses them or they are copies.
/// The model's noise_sd is the root mean square of the residuals; there is no posterior, and so no uncertainty.
/// max_error holds for every signal when it is coded; the update of an atom then lowers the total residual of its
/// users, but may raise that of a single one above the limit. Memory: one residual for each signal, as large as the
/// signals themselves, and the sparse codes. A sparsity larger than the atoms or a signal's entries is lowered, and
/// TrainResult::warnings says so.
struct KsvdOptions {
    static constexpr std::string_view method = "ksvd";

    int atoms = 0;
    int sweeps = 1000;
    std::optional<int> sparsity;  ///< exactly one of these two is given
    std::optional<double> max_error;
    KsvdUpdate update = KsvdUpdate::approximate;
    double duplicate_correlation = 0.9;
    int least_users = 4;
    double least_share = 0.5;
    bool keep_codes = false;

    static KsvdOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = KsvdOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Rounds made: all codes, then all atoms.", 1e7),
            needed(at_least("sparsity", &O::sparsity, 1,
                            "Maximum number of atoms in a signal; give either this or the error.", 1e6)),
            needed(above("max_error", &O::max_error, 0,
                         "Add atoms until the norm of the residual is at most this; give this or the sparsity.")),
            choice("update", &O::update, "Fit an atom by SVD (exact) or by one power step (approximate)."),
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
