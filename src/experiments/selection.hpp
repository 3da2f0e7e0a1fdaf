// How cells and rows of a table are selected. Cells: by their three parts, as in "1000/10/3" or "*/10/*", or by those
// that are fixed, as in "L=1000,snr=10". Rows: by their names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sbdl/error.hpp"

namespace sbdl {

using CellNames = std::array<std::string, 3>;
using PartNames = std::array<std::string_view, 3>;  ///< "L", "snr", "K"

/// Whether each of the cells matches any of the selectors; true when there is none. Throws InputError when a selector
/// is not one, or fixes a part to a value that no cell has.
std::vector<bool> matches(const std::vector<CellNames>& cells, const PartNames& names,
                          const std::vector<std::string>& selectors);

/// The cells that match any of the selectors, in their order. Cell::parts are the names of its parts.
template <class Cell>
std::vector<Cell> select_cells(const std::vector<Cell>& cells, const std::vector<std::string>& selectors) {
    std::vector<CellNames> names;
    for (const Cell& cell : cells) names.push_back(names_of(cell));
    const std::vector<bool> chosen = matches(names, Cell::parts, selectors);
    std::vector<Cell> selected;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (chosen[i]) selected.push_back(cells[i]);
    return selected;
}

/// For a name that is none of the rows. An unknown method has the same message as everywhere.
[[noreturn]] void reject_row(const std::string& name, std::string_view table,
                             const std::vector<std::string_view>& rows);

/// The rows with these names, in the order of the rows; all when there is no name. Throws InputError.
template <class Rows>
auto select_rows(const Rows& rows, std::string_view table, const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    for (const auto& row : rows) known.push_back(row.name);
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end()) reject_row(name, table, known);
    std::vector<typename Rows::value_type> selected;
    for (const auto& row : rows)
        if (names.empty() || std::find(names.begin(), names.end(), row.name) != names.end()) selected.push_back(row);
    return selected;
}

}  // namespace sbdl
