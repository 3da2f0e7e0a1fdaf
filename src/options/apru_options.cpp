// The options of APrU-DL: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "sbdl/apru.hpp"

namespace sbdl {

ApruOptions ApruOptions::preset(Preset, int atoms) {
    ApruOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const ApruOptions& options) {
    for_each_field(options, BoundCheck<ApruOptions>{"apru"});
    const bool own = options.parameters == ApruParameters::own;
    const auto check = [&](const char* name, const char* meaning, bool given) {
        if (own && !given)
            throw InputError(
                fmt::format("apru: {} ({}) is missing; give lambda and lambda_s, or parameters f or l for the paper's",
                            name, meaning));
        if (!own && given)
            throw InputError(fmt::format("apru: {} is given, and parameters {} as well, which set it", name,
                                         to_string(options.parameters)));
    };
    check("lambda", "the weight of the codes while atoms are updated", options.lambda.has_value());
    check("lambda_s", "the weight of the codes while signals are coded", options.lambda_s.has_value());
}

std::string to_json(const ApruOptions& options) {
    return options_json(options);
}

std::string_view to_string(ApruParameters parameters) {
    return word_of(parameters);
}

}  // namespace sbdl
