// The options of sparse coding by stochastic gradient descent: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/sgd.hpp"

namespace sbdl {

SgdOptions SgdOptions::preset(Preset which, int atoms) {
    SgdOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.batch = 1;
        options.duplicate_correlation = 1.0;
        options.least_users = 0;
    }
    return options;
}

void validate(const SgdOptions& options) {
    for_each_field(options, BoundCheck<SgdOptions>{"sgd"});
    check_told_sparsity("sgd", options.sparsity, options.max_error);
}

std::string to_json(const SgdOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
