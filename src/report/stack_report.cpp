// The page about a stack: checks its content, puts the sections together, and writes it.
#include "sbdl/stack_report.hpp"

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/stack_sections.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace report {
namespace {

std::string stack_lead(const StackReportContent& content) {
    const std::string pages = count_of(content.pages.size(), "page");
    if (inpainted(content)) return fmt::format("{}, of which pixels were missing.", pages);
    return content.model == nullptr ? fmt::format("{}, each with a dictionary of its own.", pages)
                                    : fmt::format("{}. One dictionary: {}.", pages, learned_text(*content.model));
}

}  // namespace
}  // namespace report

StackPageFacts facts_of(const DenoiseResult& result) {
    StackPageFacts facts{.noise_sd = result.noise_sd,
                         .noise = result.noise,
                         .unchanged = result.unchanged,
                         .only_noise = result.only_noise,
                         .warnings = result.warnings};
    for (PlaneNoise& plane : facts.noise.planes) plane.brightness = plane.variance = {};
    return facts;
}

std::string stack_report_html(const StackReportContent& content) {
    if (content.pages.empty()) throw InputError("report: the stack has no pages");
    const Model* const model = content.model;
    if (model != nullptr) report::check_reported_model(*model);
    std::string sections =
        report::stack_verdict(content) + report::stack_examples(content) + report::stack_pages(content);
    if (model != nullptr)
        sections += report::mosaic(*model) + report::traces(*model) + report::code_sizes(*model) +
                    report::repeat(ReportContent{.model = model, .title = {}, .command = content.command});
    else
        sections += report::repeat(content.command);
    return report::page(!content.title.empty()       ? content.title
                        : report::inpainted(content) ? "sbdl: an inpainted stack"
                                                     : "sbdl: a denoised stack",
                        report::stack_lead(content), sections, content.program);
}

void write_stack_report(const std::filesystem::path& path, const StackReportContent& content) {
    write_text_file(path, stack_report_html(content));
}

}  // namespace sbdl
