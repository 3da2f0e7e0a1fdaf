#include "experiments/table1/cells.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/cell_selector.hpp"
#include "experiments/table1/rows.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

const CellParts& parts() {
    static const CellParts made{{"L", "snr", "K"},
                                {{{"1000", "2000"}, {"10", "20", "30", "100"}, {"3", "4", "5", "3:6"}}}};
    return made;
}

CellNames names_of(const Table1Cell& cell) {
    return {std::to_string(cell.signals), std::to_string(cell.snr_db), table1::sparsity_name(cell)};
}

CellSelector selector(std::string text) {
    std::replace(text.begin(), text.end(), '-', ':');  // "3-6" is "3:6"
    return {text, parts()};
}

}  // namespace

std::string_view to_string(Table1Row row) {
    return table1::facts_of(row).name;
}

std::string to_string(const Table1Cell& cell) {
    return fmt::format("{}/{}/{}", cell.signals, cell.snr_db, table1::sparsity_name(cell));
}

const std::vector<Table1Cell>& table1_cells() {
    static const std::vector<Table1Cell> cells = [] {
        std::vector<Table1Cell> made;
        for (const int signals : {1000, 2000})
            for (const int snr_db : {10, 20, 30, 100})
                for (const auto& [least, most] : {std::pair{3, 3}, {4, 4}, {5, 5}, {3, 6}})
                    made.push_back({signals, snr_db, least, most});
        return made;
    }();
    return cells;
}

std::vector<Table1Cell> select_table1_cells(const std::vector<std::string>& selectors) {
    std::vector<CellSelector> parsed;
    for (const std::string& text : selectors) parsed.push_back(selector(text));
    std::vector<Table1Cell> chosen;
    for (const Table1Cell& cell : table1_cells())
        if (selected(parsed, names_of(cell))) chosen.push_back(cell);
    return chosen;
}

std::vector<Table1Row> select_table1_rows(const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    for (const table1::RowFacts& row : table1::row_facts) known.push_back(row.name);
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw InputError(fmt::format("'{}' is not a row of the Table I run; there are {}", name,
                                         fmt::join(known.begin(), known.end(), ", ")));
    std::vector<Table1Row> selected;
    for (const table1::RowFacts& row : table1::row_facts)
        if (names.empty() || std::find(names.begin(), names.end(), row.name) != names.end())
            selected.push_back(row.row);
    return selected;
}

namespace table1 {

std::size_t index_of(const Table1Cell& cell) {
    const auto& cells = table1_cells();
    const auto place = std::find(cells.begin(), cells.end(), cell);
    if (place == cells.end()) throw InputError(fmt::format("cell {} is not in Table I", to_string(cell)));
    return static_cast<std::size_t>(place - cells.begin());
}

std::string sparsity_name(const Table1Cell& cell) {
    return cell.sparsity_min == cell.sparsity_max ? std::to_string(cell.sparsity_min)
                                                  : fmt::format("{}:{}", cell.sparsity_min, cell.sparsity_max);
}

std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial) {
    const DrawId id{
        .purpose = Purpose::trial_seed, .sweep = static_cast<std::uint32_t>(trial), .signal = index_of(cell)};
    return random_words(seed, id, 0)[0];
}

std::string name_and_given(const RowFacts& row) {
    return row.given.empty() ? std::string(row.name) : fmt::format("{} ({} given)", row.name, row.given);
}

}  // namespace table1

}  // namespace sbdl
