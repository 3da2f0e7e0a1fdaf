// The sections of the page, in their order. A section is empty when the run has nothing to show there. Each is made in
// the file of the same name.
#pragma once

#include <string>
#include <string_view>

#include "sbdl/report.hpp"

namespace sbdl::report {

std::string verdict(const ReportContent& content);
std::string compare(const ReportContent& content);
std::string noise(const ReportContent& content);
std::string maps(const ReportContent& content);
std::string mosaic(const Model& model);
std::string traces(const Model& model);
std::string code_sizes(const Model& model);
std::string repeat(const ReportContent& content);

/// A section with its heading; empty when the body is empty. `id`, `heading` and `body` are HTML.
std::string section(std::string_view id, std::string_view heading, const std::string& body);

/// page.css and page.js, embedded when the library is configured.
std::string_view page_style();
std::string_view page_script();

}  // namespace sbdl::report
