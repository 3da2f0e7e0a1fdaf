// The rows and cells of Table I: their names, how they are selected, the seed of each trial, and the paper's numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/selection.hpp"

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

/// Rows by their names, in the order of Table1Row; all when there is no name. Throws InputError.
std::vector<Table1Row> select_table1_rows(const std::vector<std::string>& names);

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

// --- what is known about each row

struct RowFacts {
    Table1Row row;
    std::string_view name;
    std::string_view method;             ///< its name in the list of methods
    std::optional<PaperMethod> paper;    ///< the same method in the paper
    bool as_printed = false;             ///< preset paper
    std::string_view given = {};         ///< the parameters that the method needs
    std::string_view given_values = {};  ///< those that are the same in all cells
};

/// In the order of Table1Row.
inline constexpr std::array row_facts{
    RowFacts{Table1Row::gibbs, "gibbs", "gibbs", PaperMethod::sbdl_gibbs, false},
    RowFacts{Table1Row::gibbs_paper, "gibbs-paper", "gibbs", PaperMethod::sbdl_gibbs, true},
    RowFacts{Table1Row::vb, "vb", "vb", PaperMethod::sbdl_vb, false},
    RowFacts{Table1Row::vb_paper, "vb-paper", "vb", PaperMethod::sbdl_vb, true},
    RowFacts{Table1Row::ksvd, "ksvd", "ksvd", PaperMethod::ksvd, false, "K"},
    RowFacts{Table1Row::bpfa, "bpfa", "bpfa", PaperMethod::bpfa, false},
    RowFacts{Table1Row::apru_f, "apru-f", "apru", PaperMethod::apru_f, false, "weights", "0.2 and 0.15"},
    RowFacts{Table1Row::apru_l, "apru-l", "apru", PaperMethod::apru_l, false, "weights", "0.4 and 0.4"},
    RowFacts{Table1Row::mod, "mod", "mod", {}, false, "K"},
    RowFacts{Table1Row::simco, "simco", "simco", {}, false, "K"},
    RowFacts{Table1Row::majorization, "majorization", "majorization", {}, false, "weight", "0.2"},
    RowFacts{Table1Row::online, "online", "online", {}, false, "K"},
    RowFacts{Table1Row::rls, "rls", "rls", {}, false, "K"},
    RowFacts{Table1Row::sgd, "sgd", "sgd", {}, false, "K"},
};

constexpr std::size_t index_of(Table1Row row) {
    return static_cast<std::size_t>(row);
}
constexpr const RowFacts& facts_of(Table1Row row) {
    return row_facts[index_of(row)];
}

/// "gibbs", "ksvd (K given)", "apru-f (weights given)".
std::string name_and_given(const RowFacts& row);

}  // namespace table1

}  // namespace sbdl
