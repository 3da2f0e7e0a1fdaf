// The sections that only the page about a stack has.
#pragma once

#include <string>

#include "report/page.hpp"
#include "sbdl/stack_report.hpp"

namespace sbdl::report {

/// All pages were inpainted, and not denoised.
bool inpainted(const StackReportContent& content);
/// "20.00 → 31.00", or the one that is known; empty: neither is.
std::string psnr_text(double before, double after);

std::string stack_verdict(const StackReportContent& content);
std::string stack_examples(const StackReportContent& content);
std::string stack_pages(const StackReportContent& content);

}  // namespace sbdl::report
