// The page: checks what it is made of, puts the sections between head and foot, and writes it.
#include "sbdl/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/atomic_file.hpp"
#include "base/markup.hpp"
#include "model/model_check.hpp"
#include "report/page_text.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace report {

std::string section(std::string_view id, std::string_view heading, const std::string& body) {
    if (body.empty()) return {};
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, heading, body);
}

namespace {

constexpr double greatest_sample = 1e100;  // squares and differences of larger ones would not be finite

struct NamedPicture {
    const char* name;
    const Picture* picture;
};

void check_picture(const NamedPicture& given) {
    const auto& [name, picture] = given;
    if (picture->planes.size() != 1 && picture->planes.size() != 3)
        throw InputError(
            fmt::format("report: picture '{}' has {} planes, must have 1 or 3", name, picture->planes.size()));
    if (picture->height() == 0 || picture->width() == 0)
        throw InputError(fmt::format("report: picture '{}' is empty", name));
    for (const Matrix& plane : picture->planes) {
        if (plane.rows() != picture->height() || plane.cols() != picture->width())
            throw InputError(fmt::format("report: the planes of picture '{}' differ in size", name));
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (!(std::abs(plane.data()[i]) <= greatest_sample))
                throw InputError(fmt::format("report: picture '{}' is {} in row {}, column {}, must be within ±{:g}",
                                             name, plane.data()[i], i / plane.cols(), i % plane.cols(),
                                             greatest_sample));
    }
}

std::string size_text(const Picture& picture) {
    return fmt::format("{} x {} pixels in {} planes", picture.height(), picture.width(), picture.planes.size());
}

// The deviation may have one plane for all colours.
void check_alike(const NamedPicture& first, const NamedPicture& other, bool one_plane_will_do) {
    const Picture &a = *first.picture, &b = *other.picture;
    const bool planes_fit = a.planes.size() == b.planes.size() || (one_plane_will_do && b.planes.size() == 1);
    if (a.height() != b.height() || a.width() != b.width() || !planes_fit)
        throw InputError(fmt::format("report: picture '{}' has {}, '{}' has {}; they must agree", other.name,
                                     size_text(b), first.name, size_text(a)));
}

void check(const ReportContent& content) {
    if (content.model == nullptr) throw InputError("report: there is no model to report on");
    try {
        check_model(*content.model, "model of the report");
    } catch (const FileError& error) {
        throw InputError(error.what());  // it did not come from a file
    }
    std::vector<NamedPicture> given;
    for (const NamedPicture& named :
         {NamedPicture{"before", content.before}, NamedPicture{"after", content.after},
          NamedPicture{"truth", content.truth}, NamedPicture{"deviation", content.deviation}})
        if (named.picture != nullptr) given.push_back(named);
    for (const NamedPicture& named : given) {
        check_picture(named);
        check_alike(given.front(), named, named.picture == content.deviation);
    }
}

std::string method_text(const Model& model) {
    if (model.method == "gibbs") return "Gibbs sampling";
    if (model.method == "vb") return "variational Bayes";
    return escaped(model.method);
}

std::string head(const std::string& title) {
    // The policy keeps the page to itself whatever stands in it.
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{}</title>
<style>
{}</style>
<script>document.documentElement.className = 'js';</script>
</head>
)",
                       title, page_style());
}

}  // namespace
}  // namespace report

std::string report_html(const ReportContent& content) {
    report::check(content);
    const Model& model = *content.model;
    const std::string title = escaped(content.title.empty() ? "sbdl: what was learned" : content.title);
    std::string page = report::head(title);
    page += fmt::format("<body>\n<header>\n<h1>{}</h1>\n<p>{} of {}, learned by {} from {}.</p>\n</header>\n<main>\n",
                        title, report::count_of(model.atom_count(), "atom"), report::atom_size_text(model),
                        report::method_text(model), report::signals_text(model, model.signal_count));
    page += report::verdict(content) + report::compare(content) + report::maps(content) + report::mosaic(model) +
            report::traces(model) + report::code_sizes(model) + report::repeat(content);
    page += fmt::format("</main>\n<footer><p>Made by sbdl {}.</p></footer>\n<script>\n{}</script>\n</body>\n</html>\n",
                        content.program.empty() ? version() : escaped(content.program), report::page_script());
    return page;
}

void write_report(const std::filesystem::path& path, const ReportContent& content) {
    write_text_file(path, report_html(content));
}

}  // namespace sbdl
