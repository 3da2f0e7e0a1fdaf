// The options of the overcomplete DCT: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/dct.hpp"

namespace sbdl {

DctOptions DctOptions::preset(Preset, int atoms) {
    DctOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const DctOptions& options) {
    for_each_field(options, BoundCheck<DctOptions>{"dct"});
    check_told_sparsity("dct", options.sparsity, options.max_error);
}

std::string to_json(const DctOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
