// The convergence run as files: CSV, Markdown and a plot.
#pragma once

#include <string>
#include <vector>

#include "experiments/convergence/convergence.hpp"

namespace sbdl::convergence {

std::string csv_report(const std::vector<ConvergenceCurve>& curves);
std::string markdown_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);
std::string svg_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);

}  // namespace sbdl::convergence
