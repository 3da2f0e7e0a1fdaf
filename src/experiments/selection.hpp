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
#include "sbdl/methods.hpp"

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
[[noreturn]] void reject_row(const std::string& name, std::string_view table, const std::vector<std::string>& rows);

/// The rows of a table, then row_of(method) for every other method of the list that is offered: each method can be a
/// row, and those that the table was made for have theirs already. Row::method is the name of its method.
template <class Row, class Offered, class RowOf>
std::vector<Row> with_listed_methods(std::vector<Row> rows, const Offered& offered, const RowOf& row_of) {
    for (const Method& method : methods())
        if (offered(method) &&
            std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return row.method == method.name; }))
            rows.push_back(row_of(method));
    return rows;
}

/// The names of the rows.
template <class Row>
std::vector<std::string> names_of_rows(const std::vector<Row>& rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.name);
    return names;
}

/// The names given, each once and in the order of the rows. Throws InputError for a name that no row has.
template <class Row>
std::vector<std::string> select_rows(const std::vector<Row>& rows, std::string_view table,
                                     const std::vector<std::string>& names) {
    std::vector<std::string> selected = names_of_rows(rows);
    for (const std::string& name : names)
        if (std::find(selected.begin(), selected.end(), name) == selected.end()) reject_row(name, table, selected);
    std::erase_if(selected,
                  [&](const std::string& name) { return std::find(names.begin(), names.end(), name) == names.end(); });
    return selected;
}

/// The place of a row among the rows; throws InputError for a name that no row has.
template <class Row>
std::size_t place_of_row(const std::vector<Row>& rows, std::string_view table, std::string_view name) {
    const auto place = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    if (place == rows.end()) reject_row(std::string(name), table, names_of_rows(rows));
    return static_cast<std::size_t>(place - rows.begin());
}

}  // namespace sbdl
