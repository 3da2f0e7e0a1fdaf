// The page: checks its content, puts the sections between head and foot, and writes it.
#include "sbdl/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/atomic_file.hpp"
#include "base/markup.hpp"
#include "model/model_check.hpp"
#include "plot/style.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace report {

std::string section(std::string_view id, std::string_view heading, const std::string& body) {
    if (body.empty()) return {};
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, heading, body);
}

namespace {

constexpr double greatest_sample = 1e100;  // squares and differences of larger values would not be finite

struct NamedImage {
    const char* name;
    const Image* image;
};

void check_image(const NamedImage& given) {
    const auto& [name, image] = given;
    if (image->planes.size() != 1 && image->planes.size() != 3)
        throw InputError(fmt::format("report: image '{}' has {} planes, must have 1 or 3", name, image->planes.size()));
    if (image->height() == 0 || image->width() == 0) throw InputError(fmt::format("report: image '{}' is empty", name));
    for (const Matrix& plane : image->planes) {
        if (plane.rows() != image->height() || plane.cols() != image->width())
            throw InputError(fmt::format("report: the planes of image '{}' differ in size", name));
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (!(std::abs(plane.data()[i]) <= greatest_sample))
                throw InputError(fmt::format("report: image '{}' is {} in row {}, column {}, must be within ±{:g}",
                                             name, plane.data()[i], i / plane.cols(), i % plane.cols(),
                                             greatest_sample));
    }
}

std::string size_text(const Image& image) {
    return fmt::format("{} x {} pixels in {} planes", image.height(), image.width(), image.planes.size());
}

// The standard deviation may have one plane for all colours.
void check_alike(const NamedImage& first, const NamedImage& other, bool one_plane_is_enough) {
    const Image &a = *first.image, &b = *other.image;
    const bool planes_fit = a.planes.size() == b.planes.size() || (one_plane_is_enough && b.planes.size() == 1);
    if (a.height() != b.height() || a.width() != b.width() || !planes_fit)
        throw InputError(fmt::format("report: image '{}' has {}, '{}' has {}; they must be equal", other.name,
                                     size_text(b), first.name, size_text(a)));
}

void check(const ReportContent& content) {
    if (content.model == nullptr) throw InputError("report: there is no model to report on");
    try {
        check_model(*content.model, "model of the report");
    } catch (const FileError& error) {
        throw InputError(error.what());  // it did not come from a file
    }
    std::vector<NamedImage> given{
        {"before", content.before}, {"after", content.after}, {"truth", content.truth}, {"std", content.std}};
    std::erase_if(given, [](const NamedImage& named) { return named.image == nullptr; });
    for (const NamedImage& named : given) {
        check_image(named);
        check_alike(given.front(), named, named.image == content.std);
    }
}

std::string method_text(const Model& model) {
    const std::optional<Method> method = find_method(model.method);
    return escaped(method ? std::string(method->title) : model.method);
}

std::string head(const std::string& title) {
    // The policy prevents the page from loading anything, whatever it contains.
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{}</title>
<style>
{}
{}</style>
<script>document.documentElement.className = 'js';</script>
</head>
)",
                       title, plot::style(), page_style());
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
    page += report::verdict(content) + report::compare(content) + report::noise(content) + report::maps(content) +
            report::mosaic(model) + report::traces(model) + report::code_sizes(model) + report::repeat(content);
    page += fmt::format("</main>\n<footer><p>Made by sbdl {}.</p></footer>\n<script>\n{}</script>\n</body>\n</html>\n",
                        content.program.empty() ? version() : escaped(content.program), report::page_script());
    return page;
}

void write_report(const std::filesystem::path& path, const ReportContent& content) {
    write_text_file(path, report_html(content));
}

}  // namespace sbdl
