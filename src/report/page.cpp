#include "report/page.hpp"

#include <fmt/format.h>

#include "base/markup.hpp"
#include "plot/style.hpp"
#include "sbdl/version.hpp"

namespace sbdl::report {
namespace {

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

std::string page(const std::string& title, const std::string& lead, const std::string& sections,
                 const std::string& program) {
    const std::string name = escaped(title);
    return head(name) + fmt::format(
                            "<body>\n<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n<main>\n{}</main>\n"
                            "<footer><p>Made by sbdl {}.</p></footer>\n<script>\n{}</script>\n</body>\n</html>\n",
                            name, lead, sections, program.empty() ? version() : escaped(program), page_script());
}

std::string section(std::string_view id, std::string_view heading, const std::string& body) {
    if (body.empty()) return {};
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, heading, body);
}

}  // namespace sbdl::report
