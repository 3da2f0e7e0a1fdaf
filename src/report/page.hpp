// What every page has: head, style, script and foot; sections with headings.
#pragma once

#include <string>
#include <string_view>

namespace sbdl::report {

/// A whole page. `title` and `program` are text, `lead`, the line below the title, and `sections` are HTML. No program:
/// the library's version.
std::string page(const std::string& title, const std::string& lead, const std::string& sections,
                 const std::string& program);

/// A section with its heading; empty when the body is empty. `id`, `heading` and `body` are HTML.
std::string section(std::string_view id, std::string_view heading, const std::string& body);

/// page.css and page.js, embedded when the library is configured.
std::string_view page_style();
std::string_view page_script();

}  // namespace sbdl::report
