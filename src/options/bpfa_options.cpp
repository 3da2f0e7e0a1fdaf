// The options of BPFA: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "sbdl/bpfa.hpp"

namespace sbdl {

BpfaOptions BpfaOptions::preset(Preset which, int atoms) {
    BpfaOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
    }
    return options;
}

void validate(const BpfaOptions& options) {
    for_each_field(options, BoundCheck<BpfaOptions>{"bpfa"});
    check_thinning("bpfa", options.thin, options.draws);
}

std::string to_json(const BpfaOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
