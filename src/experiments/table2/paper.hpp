// The paper's own numbers.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "experiments/table2/cells.hpp"

namespace sbdl::table2 {

/// The methods of the paper's table, in its order.
std::span<const std::string_view> paper_methods();
std::optional<double> paper_psnr(const Table2Cell& cell, std::string_view method);
/// Whether the paper's image of this name is known to be the one that goes by it today.
bool same_image_in_print(const Table2Cell& cell);

}  // namespace sbdl::table2
