// The sections that only the page about a stack has.
#pragma once

#include <string>

#include "report/page.hpp"
#include "sbdl/stack_report.hpp"

namespace sbdl::report {

std::string stack_verdict(const StackReportContent& content);
std::string stack_examples(const StackReportContent& content);
std::string stack_pages(const StackReportContent& content);

}  // namespace sbdl::report
