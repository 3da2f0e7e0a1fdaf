// The parts of the convergence run that its files share: its reports.
#pragma once

#include <string>
#include <vector>

#include "sbdl/reproduce.hpp"

namespace sbdl::convergence {

std::string csv_report(const std::vector<ConvergenceCurve>& curves);
std::string markdown_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);
std::string svg_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);

}  // namespace sbdl::convergence
