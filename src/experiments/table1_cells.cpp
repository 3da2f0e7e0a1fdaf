// The cells and rows of Table I: their names, how they are selected, and the seed of each trial.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/cell_selector.hpp"
#include "experiments/table1.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr std::array<std::string_view, 4> row_names{"gibbs", "gibbs-paper", "vb", "vb-paper"};

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
    return row_names[table1::index_of(row)];
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
    for (const std::string& name : names)
        if (std::find(row_names.begin(), row_names.end(), name) == row_names.end())
            throw InputError(fmt::format("'{}' is not a row of the Table I run; there are {}, {}, {} and {}", name,
                                         row_names[0], row_names[1], row_names[2], row_names[3]));
    std::vector<Table1Row> selected;
    for (const Table1Row row : table1::all_rows)
        if (names.empty() || std::find(names.begin(), names.end(), to_string(row)) != names.end())
            selected.push_back(row);
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

}  // namespace table1

}  // namespace sbdl
