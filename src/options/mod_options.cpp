// The options of MOD: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/mod.hpp"

namespace sbdl {

ModOptions ModOptions::preset(Preset, int atoms) {
    ModOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const ModOptions& options) {
    for_each_field(options, BoundCheck<ModOptions>{"mod"});
    check_told_sparsity("mod", options.sparsity, options.max_error);
}

std::string to_json(const ModOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
