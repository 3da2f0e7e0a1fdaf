// Table I as files: CSV, Markdown and a plot.
#pragma once

#include <string>
#include <vector>

#include "experiments/table1/table1.hpp"

namespace sbdl::table1 {

std::string csv_report(const std::vector<Table1Entry>& entries);
std::string markdown_report(const std::vector<Table1Entry>& entries, const std::vector<Record>& records,
                            const Table1Options& options);
std::string svg_report(const std::vector<Table1Entry>& entries);

}  // namespace sbdl::table1
