// Everything that is needed to repeat the run.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/markup.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

std::string row(std::string_view name, const std::string& value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value);
}

std::string image_text(const ReportContent& content) {
    for (const Image* image : {content.before, content.after, content.truth, content.std})
        if (image != nullptr)
            return fmt::format("{} × {} pixels, {}, {} (height × width)", image->height(), image->width(),
                               image->colour() ? "colour" : "grey", to_string(image->samples));
    return {};
}

std::string facts(const ReportContent& content) {
    const Model& model = *content.model;
    std::string rows = row("Method", fmt::format("{}, preset {}", escaped(model.method), escaped(model.preset)));
    rows += row("Seed", std::to_string(model.seed));
    rows += row("Program", "sbdl " + escaped(model.program_version));
    rows += row("Learned from", signals_text(model, model.signal_count));
    rows += row("Atoms", fmt::format("{} of {}", count(model.atom_count()), atom_size_text(model)));
    if (const std::string image = image_text(content); !image.empty()) rows += row("Image", image);
    if (!model.trace.sweep.empty())
        rows += row("Sweeps", fmt::format("{} in {}, stop reason “{}”", count(model.trace.sweep.size()),
                                          count_of(chain_count(model), "chain"), escaped(model.stop_reason)));
    return "<table>\n" + rows + "</table>\n";
}

// As a table when they are a JSON object of plain values, as they should be; otherwise as they are.
std::string options(std::string_view heading, const std::string& json) {
    if (json.empty()) return {};
    std::string text = fmt::format("<h3>{}</h3>\n", heading);
    const auto parsed = nlohmann::ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
    const bool plain = parsed.is_object() && std::none_of(parsed.begin(), parsed.end(),
                                                          [](const auto& value) { return value.is_structured(); });
    if (!plain) return text + "<pre>" + escaped(json) + "</pre>\n";
    text += "<table>\n";
    for (const auto& [name, value] : parsed.items()) {
        const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        text += row("<code>" + escaped(name) + "</code>", escaped(shown));
    }
    return text + "</table>\n";
}

std::string all_options(const Model& model) {
    if (!from_image(model)) return options("Options", model.options_json);
    return options("Options of denoising", model.denoise_json) + options("Options of the learner", model.options_json);
}

std::string command(std::string_view heading, const std::string& line) {
    if (line.empty()) return {};
    return fmt::format("<h3>{}</h3>\n<pre tabindex=\"0\"><code>{}</code></pre>\n", heading, escaped(line));
}

// The command of this run, and that of the model if it differs: a dictionary may be used for several images.
std::string commands(const ReportContent& content) {
    const std::string& learned_by = content.model->command;
    if (content.command.empty() || content.command == learned_by) return command("Command", learned_by);
    return command("Command", content.command) + command("Command that made the model", learned_by);
}

// Names only what follows: files of older versions contain neither the command nor the options of denoising.
std::string contents(const ReportContent& content) {
    const Model& model = *content.model;
    std::vector<std::string> parts;
    if (!content.command.empty() || !model.command.empty()) parts.emplace_back("command");
    parts.insert(parts.end(), {"seed", "version"});
    if (!model.options_json.empty())
        parts.emplace_back(from_image(model) && model.denoise_json.empty() ? "the options of the learner"
                                                                           : "every option");
    parts[0][0] = static_cast<char>(std::toupper(parts[0][0]));
    const std::string last = parts.back();
    parts.pop_back();
    return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

}  // namespace

std::string repeat(const ReportContent& content) {
    return section("repeat", "Repeat this run",
                   "<details>\n<summary>" + contents(content) + "</summary>\n" + commands(content) + facts(content) +
                       all_options(*content.model) + "</details>\n");
}

std::string repeat(const std::string& command_line) {
    if (command_line.empty()) return {};
    return section("repeat", "Repeat this run",
                   "<details>\n<summary>Command</summary>\n" + command("Command", command_line) + "</details>\n");
}

}  // namespace sbdl::report
