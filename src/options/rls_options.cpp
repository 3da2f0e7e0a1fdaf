// The options of RLS-DLA: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/rls.hpp"

namespace sbdl {

RlsOptions RlsOptions::preset(Preset which, int atoms) {
    RlsOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.batch = 1;
        options.duplicate_correlation = 1.0;
        options.least_users = 0;
    }
    return options;
}

void validate(const RlsOptions& options) {
    for_each_field(options, BoundCheck<RlsOptions>{"rls"});
    check_told_sparsity("rls", options.sparsity, options.max_error);
}

std::string to_json(const RlsOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
