// The options of K-SVD: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

KsvdOptions KsvdOptions::preset(Preset which, int atoms) {
    KsvdOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.update = KsvdUpdate::exact;
        options.duplicate_correlation = 0.99;
        options.least_share = 0.0;
    }
    return options;
}

void validate(const KsvdOptions& options) {
    for_each_field(options, BoundCheck<KsvdOptions>{"ksvd"});
    check_told_sparsity("ksvd", options.sparsity, options.max_error);
}

std::string to_json(const KsvdOptions& options) {
    return options_json(options);
}

std::string_view to_string(KsvdUpdate update) {
    return word_of(update);
}

}  // namespace sbdl
