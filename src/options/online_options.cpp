// The options of online dictionary learning, and what the methods for streams share: presets, what has to hold, JSON.
#include "options/bound_check.hpp"
#include "options/json.hpp"
#include "sbdl/online.hpp"

namespace sbdl {

OnlineOptions OnlineOptions::preset(Preset, int atoms) {
    OnlineOptions options;
    options.atoms = atoms;
    return options;
}

void validate(const OnlineOptions& options) {
    for_each_field(options, BoundCheck<OnlineOptions>{"online"});
    const int given = (options.sparsity ? 1 : 0) + (options.max_error ? 1 : 0) + (options.lambda ? 1 : 0);
    if (given != 1)
        throw InputError(fmt::format(
            "online: {} of sparsity (the most atoms in a signal), max_error (the norm that a residual may have) "
            "and lambda (the weight of the codes' l1 norm) are given, must be exactly one",
            given == 0 ? "none" : fmt::to_string(given)));
}

std::string to_json(const OnlineOptions& options) {
    return options_json(options);
}

std::string_view to_string(StreamOrder order) {
    return word_of(order);
}

}  // namespace sbdl
