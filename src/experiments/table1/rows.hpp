// The rows of Table I: those of our table, and one for every other method of the list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/table1/cells.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/options.hpp"

namespace sbdl {

/// The names of all rows: "gibbs", "gibbs-paper", ... of our table, then the methods of the list that are not in it.
std::vector<std::string> table1_rows();

/// Rows by their names, in the order of table1_rows(); when there is no name, those of our table. Throws InputError.
std::vector<std::string> select_table1_rows(const std::vector<std::string>& names);

namespace table1 {

/// A row: a method with one of its presets, or with the parameters it needs.
struct RowFacts {
    std::string_view name;
    std::string_view method;                         ///< its name in the list of methods
    std::optional<PaperMethod> paper = {};           ///< the same method in the paper
    bool as_printed = false;                         ///< preset paper
    bool against_best = false;                       ///< its target is the best number of any method in the paper
    std::optional<ApruParameters> parameters = {};   ///< for the method that has them
    std::string_view given = {}, given_values = {};  ///< what given_to() says, where the options do not say it well
};

/// Those of our table.
const std::vector<RowFacts>& own_rows();
/// All, in the order of table1_rows().
std::vector<RowFacts> all_rows();

/// Throw InputError for a name that no row has.
std::size_t index_of_row(std::string_view name);
RowFacts facts_of(std::string_view name);

/// The options of a row's method, with the parameters that it is given in a cell.
AnyOptions learner_options(std::string_view row, const Table1Cell& cell);
/// Throws InputError if the method does not have it.
OptionRef option_named(AnyOptions& options, std::string_view name);

/// What a method needs besides the number of atoms: "K" or "weights", and the values that are the same in all cells.
struct Given {
    std::string what, values;
};
Given given_to(const RowFacts& row);

/// "gibbs", "ksvd (K given)", "apru-f (weights given)".
std::string name_and_given(const RowFacts& row);

}  // namespace table1

}  // namespace sbdl
