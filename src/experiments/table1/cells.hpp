// The cells of Table I: their names, how they are selected, the seed of each trial, and the paper's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/selection.hpp"

namespace sbdl {

struct Table1Cell {
    int signals = 0;  ///< L: 1000 or 2000
    int snr_db = 0;   ///< 10, 20, 30 or 100
    int sparsity_min = 0;
    int sparsity_max = 0;  ///< K: 3, 4 or 5 for both, or 3 and 6
    bool operator==(const Table1Cell&) const = default;

    static constexpr PartNames parts{"L", "snr", "K"};
};

CellNames names_of(const Table1Cell& cell);
/// In the form in which cells are selected: "1000/10/3", "2000/100/3:6"
std::string to_string(const Table1Cell& cell);

/// The 32 cells, in the order of the paper.
const std::vector<Table1Cell>& table1_cells();

/// The cells that match any of the selectors, in the order of the paper; all cells when there is no selector. A
/// selector is "L/SNR/K", as in "1000/10/3", "*/20/*" or "2000/*/3:6" ("3-6" is the same), or names what it fixes, as
/// in "L=1000,snr=10,K=3" or "snr=20". Throws InputError for anything else; the message lists the choices.
std::vector<Table1Cell> select_table1_cells(std::vector<std::string> selectors);

namespace table1 {

/// The position of a cell in table1_cells(). Throws InputError for a cell that is not there.
std::size_t index_of(const Table1Cell& cell);

/// "3" or "3:6"
std::string sparsity_name(const Table1Cell& cell);

/// Depends on the cell itself, not on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial);

// --- the paper's own numbers

enum class PaperMethod { ksvd, bpfa, apru_f, apru_l, sbdl_vb, sbdl_gibbs };

std::string_view to_string(PaperMethod method);
double paper_percent(const Table1Cell& cell, PaperMethod method);

struct PaperBest {
    double percent;
    std::string_view method;
};
PaperBest paper_best(const Table1Cell& cell);

}  // namespace table1

}  // namespace sbdl
