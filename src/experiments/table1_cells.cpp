// The cells and rows of Table I: their names, how they are selected, and the seed of each trial.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "experiments/table1.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr std::array<std::string_view, 4> row_names{"gibbs", "gibbs-paper", "vb", "vb-paper"};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// What one selector fixes, by the names cells give themselves; nothing fixed stands for '*'.
struct Selector {
    std::array<std::optional<std::string>, 3> fixed;  // L, SNR, K

    [[nodiscard]] bool matches(const Table1Cell& cell) const {
        const std::array names{std::to_string(cell.signals), std::to_string(cell.snr_db), table1::sparsity_name(cell)};
        for (std::size_t i = 0; i < names.size(); ++i)
            if (fixed[i] && *fixed[i] != names[i]) return false;
        return true;
    }
};

constexpr std::array<std::string_view, 3> part_names{"L", "snr", "K"};
constexpr std::array<std::array<std::string_view, 4>, 3> part_values{
    {{"1000", "2000", "", ""}, {"10", "20", "30", "100"}, {"3", "4", "5", "3:6"}}};

void fix_part(Selector& selector, std::size_t part, std::string value, const std::string& text) {
    if (value == "*") return;
    if (value == "3-6") value = "3:6";
    const auto& values = part_values[part];
    if (value.empty() || std::find(values.begin(), values.end(), value) == values.end())
        throw InputError(
            fmt::format("cell selector '{}': {} = '{}' is not in Table I, which has L 1000 and 2000, snr 10, 20, 30 "
                        "and 100, K 3, 4, 5 and 3:6",
                        text, part_names[part], value));
    selector.fixed[part] = std::move(value);
}

Selector parse_selector(const std::string& text) {
    Selector selector;
    if (text.find('=') == std::string::npos) {
        std::vector<std::string> parts = split(text, '/');
        if (parts.size() != part_names.size())
            throw InputError(fmt::format(
                "cell selector '{}' is neither L/SNR/K, as in 1000/10/3 or */20/*, nor L=1000,snr=10,K=3", text));
        for (std::size_t i = 0; i < parts.size(); ++i) fix_part(selector, i, std::move(parts[i]), text);
        return selector;
    }
    for (const std::string& assignment : split(text, ',')) {
        const std::size_t equals = assignment.find('=');
        const std::string name = assignment.substr(0, equals);
        const auto part = std::find(part_names.begin(), part_names.end(), name);
        if (equals == std::string::npos || part == part_names.end())
            throw InputError(
                fmt::format("cell selector '{}': '{}' is not one of L=..., snr=..., K=...", text, assignment));
        const auto index = static_cast<std::size_t>(part - part_names.begin());
        if (selector.fixed[index]) throw InputError(fmt::format("cell selector '{}' says {} twice", text, name));
        fix_part(selector, index, assignment.substr(equals + 1), text);
    }
    return selector;
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
    if (selectors.empty()) return table1_cells();
    std::vector<Selector> parsed;
    for (const std::string& text : selectors) parsed.push_back(parse_selector(text));
    std::vector<Table1Cell> selected;
    for (const Table1Cell& cell : table1_cells())
        if (std::any_of(parsed.begin(), parsed.end(), [&](const Selector& s) { return s.matches(cell); }))
            selected.push_back(cell);
    return selected;
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
