// The rows and cells of Table I: their names, how they are selected, and the seed of each trial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl {

/// A row of our table: a method with one of its presets, or with the parameters it needs.
enum class Table1Row {
    gibbs,
    gibbs_paper,
    vb,
    vb_paper,
    ksvd,
    bpfa,
    apru_f,
    apru_l,
    mod,
    simco,
    majorization,
    online,
    rls,
    sgd
};

/// "gibbs", "gibbs-paper", ...
std::string_view to_string(Table1Row row);

struct Table1Cell {
    int signals = 0;  ///< L: 1000 or 2000
    int snr_db = 0;   ///< 10, 20, 30 or 100
    int sparsity_min = 0;
    int sparsity_max = 0;  ///< K: 3, 4 or 5 for both, or 3 and 6
    bool operator==(const Table1Cell&) const = default;
};

/// In the form in which cells are selected: "1000/10/3", "2000/100/3:6"
std::string to_string(const Table1Cell& cell);

/// The 32 cells, in the order of the paper.
const std::vector<Table1Cell>& table1_cells();

/// The cells that match any of the selectors, in the order of the paper; all cells when there is no selector. A
/// selector is "L/SNR/K", as in "1000/10/3", "*/20/*" or "2000/*/3:6" ("3-6" is the same), or names what it fixes, as
/// in "L=1000,snr=10,K=3" or "snr=20". Throws InputError for anything else; the message lists the choices.
std::vector<Table1Cell> select_table1_cells(const std::vector<std::string>& selectors);

/// Rows by their names, in the order of Table1Row; all when there is no name. Throws InputError.
std::vector<Table1Row> select_table1_rows(const std::vector<std::string>& names);

namespace table1 {

/// The position of a cell in table1_cells().
std::size_t index_of(const Table1Cell& cell);

/// "3" or "3:6"
std::string sparsity_name(const Table1Cell& cell);

/// Depends on the cell itself, not on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial);

}  // namespace table1

}  // namespace sbdl
