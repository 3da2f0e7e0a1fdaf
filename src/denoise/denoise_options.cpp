// The options of a denoising: what has to hold, JSON.
#include "denoise/denoise_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "options/option_name.hpp"
#include "options/option_values.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"
#include "sbdl/online.hpp"

namespace sbdl {
namespace {

void check_method(const std::string& method) {
    const auto methods = denoise_methods();
    if (std::find(methods.begin(), methods.end(), method) == methods.end())
        throw InputError(fmt::format("method is '{}', must be one of {}", method, fmt::join(methods, ", ")));
}

// An option that has no effect must be as it is by default: setting it would suggest otherwise.
void check_ignored(const DenoiseOptions& options, const std::vector<OptionRef>& refs) {
    DenoiseOptions defaults;
    const std::vector<OptionRef> usual = option_refs(defaults);
    for (std::size_t i = 0; i < refs.size(); ++i) {
        const std::string why = why_ignored(options, refs[i].name);
        if (!why.empty() && options_json({refs[i]}) != options_json({usual[i]}))
            throw InputError(fmt::format("{} {}", refs[i].name, why));
    }
}

/// Whether the method that will learn uses this option of the denoising.
bool used(const DenoiseOptions& options, std::string_view name) {
    const std::string_view method = options.method == "auto" ? OnlineOptions::method : std::string_view(options.method);
    const auto& names = method_info(method).patch_options;
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string why_ignored(const DenoiseOptions& options, std::string_view name) {
    if (options.recipe == Recipe::paper && name == "quality") return "does not apply to the recipe paper";
    if (options.recipe != Recipe::paper && name == "tolerance")
        return "applies only to the recipe paper; the recipe standard has a fixed one for each of its passes";
    if (options.recipe != Recipe::paper && name == "keep_noisy")
        return "applies only to the recipe paper; the recipe standard averages patches in another way";
    const bool grows = name == "gain" || name == "read_noise" || name == "offset";
    if (grows && (options.noise == NoiseKind::gaussian || options.sigma))
        return "applies only to noise that grows with brightness, not to noise of one strength (sigma, or noise "
               "gaussian)";
    if (name == "sigma" && options.noise == NoiseKind::poisson_gaussian)
        return "does not apply to the noise poisson-gaussian; give gain and read_noise";
    if ((name == "lambda" || name == "lambda_s" || name == "sweeps") && !used(options, name))
        return fmt::format("does not apply to the method {}", options.method);
    return {};
}

void validate(const DenoiseOptions& options) {
    DenoiseOptions copy = options;
    const std::vector<OptionRef> refs = option_refs(copy);
    check_bounds({}, refs);
    check_method(options.method);
    check_ignored(options, refs);
    if (options.stride > options.patch)
        throw InputError(fmt::format("{} is {}, must be at most {}, which is {}", option_name("stride"), options.stride,
                                     option_name("patch"), options.patch));
    if (used(options, "lambda_s") && options.lambda.has_value() != options.lambda_s.has_value())
        throw InputError(
            fmt::format("the method {} needs both lambda and lambda_s, or neither of them", options.method));
}

std::string to_json(const DenoiseOptions& options) {
    DenoiseOptions copy = options;
    std::vector<OptionRef> refs = option_refs(copy);
    std::erase_if(refs, [&](const OptionRef& option) { return !why_ignored(options, option.name).empty(); });
    nlohmann::ordered_json object = {{"method", options.method}};
    object.update(options_json(refs));
    return object.dump();
}

}  // namespace sbdl
