// The page about a model: checks its content, puts the sections together, and writes it.
#include "sbdl/report.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/atomic_file.hpp"
#include "report/image_check.hpp"
#include "report/page.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace report {
namespace {

void check(const ReportContent& content) {
    if (content.model == nullptr) throw InputError("report: there is no model to report on");
    check_reported_model(*content.model);
    std::vector<NamedImage> given{
        {"before", content.before}, {"after", content.after}, {"truth", content.truth}, {"std", content.std, true}};
    std::erase_if(given, [](const NamedImage& named) { return named.image == nullptr; });
    check_images(given);
}

}  // namespace
}  // namespace report

std::string report_html(const ReportContent& content) {
    report::check(content);
    const Model& model = *content.model;
    return report::page(
        content.title.empty() ? "sbdl: what was learned" : content.title, report::learned_text(model) + ".",
        report::verdict(content) + report::compare(content) + report::noise(content) + report::maps(content) +
            report::mosaic(model) + report::traces(model) + report::code_sizes(model) + report::repeat(content),
        content.program);
}

void write_report(const std::filesystem::path& path, const ReportContent& content) {
    write_text_file(path, report_html(content));
}

}  // namespace sbdl
