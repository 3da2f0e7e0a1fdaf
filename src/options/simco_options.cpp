// The options of SimCO: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "options/told_sparsity.hpp"
#include "sbdl/simco.hpp"

namespace sbdl {

SimcoOptions SimcoOptions::preset(Preset, int atoms) {
    SimcoOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const SimcoOptions& options) {
    for_each_field(options, BoundCheck<SimcoOptions>{"simco"});
    check_told_sparsity("simco", options.sparsity, options.max_error);
}

std::string to_json(const SimcoOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
