#include "denoise/options_text.hpp"

#include <nlohmann/json.hpp>

namespace sbdl {
namespace {

nlohmann::ordered_json or_auto(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json("auto");
}

}  // namespace

std::string denoise_json(const DenoiseOptions& options) {
    const bool paper = options.recipe == Recipe::paper;
    nlohmann::ordered_json object = {{"recipe", paper ? "paper" : "best"},
                                     {"method", options.method},
                                     {"sigma", or_auto(options.sigma)},
                                     {"patch", options.patch},
                                     {"atoms", options.atoms},
                                     {"stride", options.stride},
                                     {"max_patches", options.max_patches},
                                     {"sweeps", options.sweeps}};
    // What the others would not hear is left out, as the program refuses it.
    if (paper) {
        object["tolerance"] = options.tolerance;
        object["keep_noisy"] = or_auto(options.keep_noisy);
    }
    if (options.method == "apru" || options.method == "majorization") object["lambda"] = or_auto(options.lambda);
    if (options.method == "apru") object["lambda_s"] = or_auto(options.lambda_s);
    return object.dump();
}

}  // namespace sbdl
