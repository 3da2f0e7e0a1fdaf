// Everything that is needed to do the run again.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/markup.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace sbdl::report {
namespace {

std::string row(std::string_view name, const std::string& value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value);
}

std::string picture_text(const ReportContent& content) {
    for (const Picture* picture : {content.before, content.after, content.truth, content.deviation})
        if (picture != nullptr)
            return fmt::format("{} × {} pixels, {}, {} (height × width)", picture->height(), picture->width(),
                               picture->colour() ? "colour" : "grey", to_string(picture->samples));
    return {};
}

std::string facts(const ReportContent& content) {
    const Model& model = *content.model;
    std::string rows = row("Method", fmt::format("{}, preset {}", escaped(model.method), escaped(model.preset)));
    rows += row("Seed", std::to_string(model.seed));
    rows += row("Program", "sbdl " + escaped(model.program_version));
    rows += row("Learned from", signals_text(model, model.signal_count));
    rows += row("Atoms", fmt::format("{} of {}", count(model.atom_count()), atom_size_text(model)));
    if (const std::string picture = picture_text(content); !picture.empty()) rows += row("Picture", picture);
    if (!model.trace.sweep.empty())
        rows += row("Sweeps", fmt::format("{} in {}, ended by “{}”", count(model.trace.sweep.size()),
                                          count_of(chain_count(model), "chain"), escaped(model.stop_reason)));
    return "<table>\n" + rows + "</table>\n";
}

// As a table when they are the JSON object of plain values that they should be, else as they are.
std::string options(const Model& model) {
    if (model.options_json.empty()) return {};
    std::string text = "<h3>Options</h3>\n";
    const auto parsed = nlohmann::ordered_json::parse(model.options_json, nullptr, /*allow_exceptions=*/false);
    const bool plain = parsed.is_object() && std::none_of(parsed.begin(), parsed.end(),
                                                          [](const auto& value) { return value.is_structured(); });
    if (!plain) return text + "<pre>" + escaped(model.options_json) + "</pre>\n";
    text += "<table>\n";
    for (const auto& [name, value] : parsed.items()) {
        const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        text += row("<code>" + escaped(name) + "</code>", escaped(shown));
    }
    return text + "</table>\n";
}

}  // namespace

std::string repeat(const ReportContent& content) {
    std::string body = "<details>\n<summary>Command, seed, version and every option</summary>\n";
    if (!content.command.empty())
        body += "<h3>Command</h3>\n<pre tabindex=\"0\"><code>" + escaped(content.command) + "</code></pre>\n";
    return section("repeat", "To repeat it", body + facts(content) + options(*content.model) + "</details>\n");
}

}  // namespace sbdl::report
