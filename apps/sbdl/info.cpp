// sbdl info: what a model file holds.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "common.hpp"
#include "sbdl/model.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

Json patch_json(const PatchShape& patch) {
    if (patch.planes == 0) return nullptr;
    return {{"height", patch.height}, {"width", patch.width}, {"planes", patch.planes}};
}

std::string patch_text(const PatchShape& patch) {
    if (patch.planes == 0) return {};
    return fmt::format(": patches of {} x {} pixels{}", patch.height, patch.width,
                       patch.planes == 1 ? "" : fmt::format(" in {} planes", patch.planes));
}

// null for none, and for what is no JSON.
Json parsed_options(const std::string& text) {
    Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return parsed.is_discarded() ? Json() : parsed;
}

Json as_json(const Model& model) {
    return {{"method", model.method},
            {"preset", model.preset},
            {"version", model.program_version},
            {"seed", model.seed},
            {"atoms", model.atom_count()},
            {"dim", model.signal_dim()},
            {"patch", patch_json(model.patch)},
            {"signals", model.signal_count},
            {"noise_sd", model.noise_sd},
            {"noise_sd_std", model.noise_sd_std},
            {"stop_reason", model.stop_reason},
            {"sweeps", model.trace.sweep.size()},
            {"noise_rhat", model.diagnostics.noise_rhat},
            {"noise_ess", model.diagnostics.noise_ess},
            {"objective_rhat", model.diagnostics.objective_rhat},
            {"objective_ess", model.diagnostics.objective_ess},
            {"has_codes", !model.codes.empty()},
            {"unit", model.unit},
            {"code_shape", model.code_shape},
            {"code_rate", model.code_rate},
            {"noise_shape", model.noise_shape},
            {"noise_rate", model.noise_rate},
            {"atom_variance", model.atom_variance},
            {"atom_usage", model.atom_usage},
            {"atom_probability", model.atom_probability.empty() ? Json() : Json(model.atom_probability)},
            {"command", model.command.empty() ? Json() : Json(model.command)},
            {"denoise_options", parsed_options(model.denoise_json)},
            {"options", parsed_options(model.options_json)}};
}

std::string summary(const Model& model) {
    std::string text = fmt::format("method      {}, preset {}, seed {}, sbdl {}\n", model.method, model.preset,
                                   model.seed, model.program_version);
    text +=
        fmt::format("atoms       {} of length {}{}\n", model.atom_count(), model.signal_dim(), patch_text(model.patch));
    text += fmt::format("signals     {}{}\n", model.signal_count, model.codes.empty() ? "" : ", codes kept");
    // Of learners without a posterior the noise is what the codes left; of an image it was found before they learned.
    const bool inferred = model.noise_sd_std > 0.0;
    if (inferred || model.patch.height > 0 || !model.dictionary_std.empty())
        text += noise_line(model);
    else
        text += fmt::format("residual    {} (root mean square)\n", number_text(model.noise_sd));
    text += fmt::format("sweeps      {} ({})\n", model.trace.sweep.size(), model.stop_reason);
    if (model.method == "gibbs" || model.method == "bpfa") {
        const Diagnostics& told = model.diagnostics;
        text += fmt::format("R-hat       noise {}, objective {}\n", number_text(told.noise_rhat),
                            number_text(told.objective_rhat));
        text += fmt::format("ESS         noise {}, objective {}\n", number_text(told.noise_ess),
                            number_text(told.objective_ess));
    }
    if (!model.atom_usage.empty()) {
        const auto [least, most] = std::minmax_element(model.atom_usage.begin(), model.atom_usage.end());
        text += fmt::format("atom usage  {} to {} (root mean square code)\n", number_text(*least), number_text(*most));
    }
    if (!model.atom_probability.empty()) {
        const auto& chance = model.atom_probability;
        const auto [least, most] = std::minmax_element(chance.begin(), chance.end());
        text += fmt::format("in a code   {} to {} of the signals, {} atoms in one on average\n", number_text(*least),
                            number_text(*most), number_text(std::accumulate(chance.begin(), chance.end(), 0.0)));
    }
    if (inferred)
        text += fmt::format(
            "priors      code Gamma({:g}, {:g}), noise Gamma({:g}, {:g}), atom variance {:g}; in units of {:g}\n",
            model.code_shape, model.code_rate, model.noise_shape, model.noise_rate, model.atom_variance, model.unit);
    if (!model.command.empty()) text += fmt::format("command     {}\n", model.command);
    if (!model.denoise_json.empty()) text += fmt::format("denoising   {}\n", model.denoise_json);
    return text + fmt::format("options     {}\n", model.options_json);
}

}  // namespace

int run_info(int count, char** arguments) {
    std::filesystem::path path;
    Output output;
    CLI::App app("Tell what a model file holds.", "sbdl info");
    app.footer("Example:\n  sbdl info model.h5");
    app.add_option("MODEL", path, "Model file that learn wrote")->required()->type_name("FILE");
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;

    const Model model = load_model(path);
    output.print_json(as_json(model));
    output.say(summary(model));
    return done;
}

}  // namespace sbdl::app
