// The options of majorization: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "sbdl/majorization.hpp"

namespace sbdl {

MajorizationOptions MajorizationOptions::preset(Preset, int atoms) {
    MajorizationOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const MajorizationOptions& options) {
    for_each_field(options, BoundCheck<MajorizationOptions>{"majorization"});
    if (!options.lambda)
        throw InputError(
            "majorization: lambda (the weight of the codes' absolute values, in the signals' units) is missing");
}

std::string to_json(const MajorizationOptions& options) {
    return options_json(options);
}

}  // namespace sbdl
