// Table II as files: CSV and Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/table2/table2.hpp"

namespace sbdl::table2 {

std::string csv_report(const std::vector<Table2Entry>& entries);
/// `figure_cell` is that of the folder's figures, when it has some.
std::string markdown_report(const std::vector<Table2Entry>& entries, const std::vector<Record>& records,
                            const Table2Options& options, const std::optional<Table2Cell>& figure_cell);
/// The part of it that counts the cells reached and missed, in words.
std::string counts_in_words(const std::vector<Table2Entry>& entries);

}  // namespace sbdl::table2
