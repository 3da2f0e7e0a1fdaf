// Which trials a Table II run consists of.
#pragma once

#include <string>
#include <vector>

#include "experiments/table2/images.hpp"
#include "experiments/table2/table2.hpp"

namespace sbdl::table2 {

/// Cells of these images, in the order of the plan, that the options select. Throws InputError.
std::vector<Table2Cell> select_cells(const std::vector<TrueImage>& images, const Table2Options& options);
/// The one cell of `cells` that the selector matches. Throws InputError.
Table2Cell select_one_cell(const std::vector<Table2Cell>& cells, const std::string& selector);

std::vector<Table2Task> plan(const std::vector<Table2Cell>& cells, const Table2Options& options);

}  // namespace sbdl::table2
