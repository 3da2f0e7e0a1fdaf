// What is known about each row of Table I.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/table1/cells.hpp"
#include "experiments/table1/paper.hpp"

namespace sbdl::table1 {

struct RowFacts {
    Table1Row row;
    std::string_view name;
    std::optional<PaperMethod> paper;  ///< the same method in the paper
    bool as_printed = false;           ///< preset paper
    bool infers_noise = false;
    std::string_view given = {};         ///< the parameters that the method needs
    std::string_view given_values = {};  ///< those that are the same in all cells
};

/// In the order of Table1Row.
inline constexpr std::array row_facts{
    RowFacts{Table1Row::gibbs, "gibbs", PaperMethod::sbdl_gibbs, false, true},
    RowFacts{Table1Row::gibbs_paper, "gibbs-paper", PaperMethod::sbdl_gibbs, true, true},
    RowFacts{Table1Row::vb, "vb", PaperMethod::sbdl_vb, false, true},
    RowFacts{Table1Row::vb_paper, "vb-paper", PaperMethod::sbdl_vb, true, true},
    RowFacts{Table1Row::ksvd, "ksvd", PaperMethod::ksvd, false, false, "K"},
    RowFacts{Table1Row::bpfa, "bpfa", PaperMethod::bpfa, false, true},
    RowFacts{Table1Row::apru_f, "apru-f", PaperMethod::apru_f, false, false, "weights", "0.2 and 0.15"},
    RowFacts{Table1Row::apru_l, "apru-l", PaperMethod::apru_l, false, false, "weights", "0.4 and 0.4"},
    RowFacts{Table1Row::mod, "mod", {}, false, false, "K"},
    RowFacts{Table1Row::simco, "simco", {}, false, false, "K"},
    RowFacts{Table1Row::majorization, "majorization", {}, false, false, "weight", "0.2"},
    RowFacts{Table1Row::online, "online", {}, false, false, "K"},
    RowFacts{Table1Row::rls, "rls", {}, false, false, "K"},
    RowFacts{Table1Row::sgd, "sgd", {}, false, false, "K"},
};

constexpr std::size_t index_of(Table1Row row) {
    return static_cast<std::size_t>(row);
}
constexpr const RowFacts& facts_of(Table1Row row) {
    return row_facts[index_of(row)];
}

/// "gibbs", "ksvd (K given)", "apru-f (weights given)".
std::string name_and_given(const RowFacts& row);

}  // namespace sbdl::table1
