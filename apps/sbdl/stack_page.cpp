#include "stack_page.hpp"

#include <limits>
#include <memory>
#include <utility>

#include "noise_found.hpp"
#include "program_text.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/stack_report.hpp"

namespace sbdl::app {
namespace {

using nlohmann::ordered_json;

// JSON has no infinity: null is the PSNR of a page that equals the truth.
double psnr_in(const ordered_json& note, const char* name) {
    if (!note.contains(name)) return std::numeric_limits<double>::quiet_NaN();
    return note.at(name).is_null() ? std::numeric_limits<double>::infinity() : note.at(name).get<double>();
}

StackPageFacts facts_in(const ordered_json& note) {
    StackPageFacts facts{.noise_sd = note.at("noise_sd"),
                         .noise = {},
                         .unchanged = note.at("unchanged"),
                         .only_noise = note.at("only_noise"),
                         .warnings = note.at("warnings"),
                         .psnr_before = psnr_in(note, "psnr_before"),
                         .psnr_after = psnr_in(note, "psnr_after")};
    if (note.contains("noise")) facts.noise = noise_in(note.at("noise"));  // older checkpoints lack it
    return facts;
}

}  // namespace

ordered_json page_note(const DenoiseArguments& a, const DenoiseResult& result) {
    std::string method = a.options.method;  // nothing was learned
    if (!result.unchanged) method = result.model.method;
    if (!a.model.empty()) method = "model";
    return {{"noise_sd", result.noise_sd},
            {"noise_given", result.noise_given},
            {"plane_noise", result.plane_noise},
            {"noise", noise_json(result.noise, /*with_curve=*/false)},
            {"method", method},
            {"samples", to_string(output_samples(a, result.image.samples))},
            {"unchanged", result.unchanged},
            {"only_noise", result.only_noise},
            {"warnings", result.warnings}};
}

void write_stack_page(const DenoiseArguments& a, const StackJournal& journal, const StackRun& run) {
    StackReportContent content{.pages = {},
                               .model = run.model,
                               .title = a.noisy.filename().string(),
                               .command = a.command,
                               .range = run.range,
                               .warnings = run.warnings,
                               .seconds = run.seconds,
                               .resumed_at = run.resumed_at,
                               .program = program_text()};
    for (const std::string& note : journal.notes()) content.pages.push_back(facts_in(ordered_json::parse(note)));
    const std::unique_ptr<PageSource> noisy = open_pages(a.noisy);
    // Files hold the pixels as the input has them; a page shows them in display orientation. --depth changes their
    // scale.
    content.images = [&](std::size_t page) {
        Image before = with_orientation(noisy->read(page), 1);
        Image after = with_samples(with_orientation(journal.clean(page), 1), before.samples);
        return StackPageImages{std::move(before), std::move(after)};
    };
    write_stack_report(a.report, content);
}

}  // namespace sbdl::app
