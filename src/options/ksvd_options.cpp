// The options of K-SVD: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

KsvdOptions KsvdOptions::preset(Preset which, int atoms) {
    KsvdOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) options.update = KsvdUpdate::exact;
    return options;
}

void validate(const KsvdOptions& options) {
    for_each_field(options, BoundCheck<KsvdOptions>{"KsvdOptions"});
    if (options.sparsity.has_value() == options.max_error.has_value())
        throw InputError(fmt::format(
            "KsvdOptions: {} of sparsity (the most atoms in a signal) and max_error (the norm that a residual may "
            "have) is given, must be exactly one",
            options.sparsity ? "each" : "none"));
}

std::string to_json(const KsvdOptions& options) {
    return options_json(options);
}

std::string_view to_string(KsvdUpdate update) {
    return word_of(update);
}

}  // namespace sbdl
