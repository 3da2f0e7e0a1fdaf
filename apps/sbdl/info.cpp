// sbdl info: what a model file holds. Its text is shown as printable(): a model may come from anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "base/printable.hpp"
#include "common.hpp"
#include "model_text.hpp"
#include "pipes.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/model.hpp"
#include "settling_text.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

Json patch_json(const PatchShape& patch) {
    if (patch.planes == 0) return nullptr;
    Json object = Json::object();
    for_each_field(patch, [&](const auto& field, std::uint64_t size) { object[field.name] = size; });
    return object;
}

std::string patch_text(const PatchShape& patch) {
    if (patch.planes == 0) return {};
    return fmt::format(": patches of {} x {} pixels{}", patch.height, patch.width,
                       patch.planes == 1 ? "" : fmt::format(" in {} planes", patch.planes));
}

// null for a part that the method does not have.
template <class Part>
Json part_json(const std::optional<Part>& part) {
    if (!part) return nullptr;
    Json object = Json::object();
    for (const auto& field : Part::fields()) object[field.name] = (*part).*(field.member);
    return object;
}

template <class Part>
std::string part_text(const char* title, const std::optional<Part>& part) {
    if (!part) return {};
    std::string text;
    for (const auto& field : Part::fields())
        text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", field.name, (*part).*(field.member));
    return fmt::format("{:<12}{}\n", title, text);
}

// null for none, and for what is not JSON.
Json parsed_options(const std::string& text) {
    Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return parsed.is_discarded() ? Json() : parsed;
}

Json as_json(const Model& model) {
    Json object{{"method", model.method},
                {"preset", model.preset},
                {"version", model.program_version},
                {"seed", model.seed},
                {"atoms", model.atom_count()},
                {"atoms_in_use", in_use_json(model)},
                {"dim", model.signal_dim()},
                {"patch", patch_json(model.patch)},
                {"signals", model.signal_count},
                {"noise_sd", model.noise_sd},
                {"noise_sd_std", model.noise_sd_std},
                {"stop_reason", model.stop_reason},
                {"sweeps", model.trace.sweep.size()},
                {"has_codes", !model.codes.empty()},
                {"unit", model.unit},
                {"sbdl", part_json(model.sbdl)},
                {"on_off", part_json(model.on_off)},
                {"atom_usage", model.atom_usage},
                {"atom_probability", model.on_off ? Json(model.on_off->atom_probability) : Json()},
                {"command", model.command.empty() ? Json() : Json(model.command)},
                {"denoise_options", parsed_options(model.denoise_json)},
                {"options", parsed_options(model.options_json)}};
    add_settling(model, object);
    return object;
}

std::string summary(const Model& model) {
    std::string text = fmt::format("method      {}, preset {}, seed {}, sbdl {}\n", printable(model.method),
                                   printable(model.preset), model.seed, printable(model.program_version));
    text += fmt::format("atoms       {} of length {}{}{}\n", model.atom_count(), model.signal_dim(), in_use_text(model),
                        patch_text(model.patch));
    text += fmt::format("signals     {}{}\n", model.signal_count, model.codes.empty() ? "" : ", codes kept");
    // For methods without a posterior this is what the codes left; for images it was estimated before learning.
    const auto method = find_method(model.method);
    const bool inferred = method ? method->can.posterior : !model.dictionary_std.empty();
    if (inferred || model.patch.height > 0)
        text += noise_line(model);
    else
        text += fmt::format("residual    {} (root mean square)\n", number_text(model.noise_sd));
    text += fmt::format("sweeps      {} ({})\n", model.trace.sweep.size(), stop_text(model.stop_reason));
    text += settling_lines(model) + advice_lines(model);
    if (!model.atom_usage.empty()) {
        const auto [least, most] = std::minmax_element(model.atom_usage.begin(), model.atom_usage.end());
        text += fmt::format("atom usage  {} to {} (root mean square code)\n", number_text(*least), number_text(*most));
    }
    if (model.on_off) {
        const auto& chance = model.on_off->atom_probability;
        const auto [least, most] = std::minmax_element(chance.begin(), chance.end());
        text += fmt::format("probability {} to {} that a signal uses an atom, {} atoms per signal on average\n",
                            number_text(*least), number_text(*most),
                            number_text(std::accumulate(chance.begin(), chance.end(), 0.0)));
    }
    text += fmt::format("unit        {:g} (the signals were divided by this)\n", model.unit);
    text += part_text("priors", model.sbdl) + part_text("priors", model.on_off);
    if (!model.command.empty()) text += fmt::format("command     {}\n", printable(model.command));
    if (!model.denoise_json.empty()) text += fmt::format("denoising   {}\n", printable(model.denoise_json));
    return text + fmt::format("options     {}\n", printable(model.options_json));
}

}  // namespace

int run_info(int count, char** arguments) {
    std::filesystem::path path;
    Output output;
    CLI::App app("Show what a model file contains.", "sbdl info");
    app.footer("Example:\n  sbdl info model.h5");
    app.add_option("MODEL", path, "Model file written by learn or denoise, or - for standard input")
        ->required()
        ->type_name("FILE");
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;

    Pipes pipes;
    pipes.take_input(path);
    const Model model = load_model(path);
    output.print_json(as_json(model));
    output.say(summary(model));
    return done;
}

}  // namespace sbdl::app
