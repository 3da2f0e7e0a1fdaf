#include "experiments/table1/rows.hpp"

#include <variant>

#include "experiments/table1/table1.hpp"
#include "methods/synthetic_options.hpp"

namespace sbdl {

namespace {

constexpr std::string_view table_name = "Table I";

}  // namespace

std::vector<std::string> table1_rows() {
    return names_of_rows(table1::all_rows());
}

std::vector<std::string> select_table1_rows(const std::vector<std::string>& names) {
    return names.empty() ? names_of_rows(table1::own_rows()) : select_rows(table1::all_rows(), table_name, names);
}

namespace table1 {

const std::vector<RowFacts>& own_rows() {
    using enum PaperMethod;
    static const std::vector<RowFacts> rows{
        {.name = "gibbs", .method = "gibbs", .paper = sbdl_gibbs, .against_best = true},
        {.name = "gibbs-paper", .method = "gibbs", .paper = sbdl_gibbs, .as_printed = true},
        {.name = "vb", .method = "vb", .paper = sbdl_vb},
        {.name = "vb-paper", .method = "vb", .paper = sbdl_vb, .as_printed = true},
        {.name = "ksvd", .method = "ksvd", .paper = ksvd},
        {.name = "bpfa", .method = "bpfa", .paper = bpfa},
        {.name = "apru-f",
         .method = "apru",
         .paper = apru_f,
         .parameters = ApruParameters::f,
         .given = "weights",
         .given_values = "0.2 and 0.15"},
        {.name = "apru-l",
         .method = "apru",
         .paper = apru_l,
         .parameters = ApruParameters::l,
         .given = "weights",
         .given_values = "0.4 and 0.4"},
        {.name = "mod", .method = "mod"},
        {.name = "simco", .method = "simco"},
        {.name = "majorization", .method = "majorization", .given = "weight", .given_values = "0.2"},
        {.name = "online", .method = "online"},
        {.name = "rls", .method = "rls"},
        {.name = "sgd", .method = "sgd"},
    };
    return rows;
}

std::vector<RowFacts> all_rows() {
    return with_listed_methods(
        own_rows(), [](const Method&) { return true; },
        [](const Method& method) { return RowFacts{.name = method.name, .method = method.name}; });
}

std::size_t index_of_row(std::string_view name) {
    return place_of_row(all_rows(), table_name, name);
}

RowFacts facts_of(std::string_view name) {
    return all_rows()[index_of_row(name)];
}

OptionRef option_named(AnyOptions& options, std::string_view name) {
    for (const OptionRef& option : options.options())
        if (option.name == name) return option;
    throw InputError(fmt::format("method {} has no option {}", options.method(), name));
}

AnyOptions learner_options(std::string_view row, const Table1Cell& cell) {
    const RowFacts facts = facts_of(row);
    if (facts.as_printed) return method_options(facts.method, Preset::paper, atom_count);
    AnyOptions options = synthetic_options(facts.method, atom_count, given_sparsity(cell));
    if (facts.parameters) {
        const OptionRef parameters = option_named(options, "parameters");
        const auto& choice = std::get<ChoiceRef>(parameters.value);
        choice.set(choice.value, static_cast<std::size_t>(*facts.parameters));
    }
    return options;
}

Given given_to(const RowFacts& row) {
    if (!row.given.empty()) return {std::string(row.given), std::string(row.given_values)};
    AnyOptions options = learner_options(row.name, table1_cells().front());
    std::vector<std::string_view> names;
    std::vector<std::string> values;
    for (const OptionRef& option : options.options()) {
        const auto* const number = std::get_if<std::optional<double>*>(&option.value);
        const auto* const count = std::get_if<std::optional<int>*>(&option.value);
        const bool has_value = (number && **number) || (count && **count);
        if (!option.needed || !has_value) continue;
        const bool from_cell = option.name == "sparsity";
        names.push_back(from_cell ? "K" : option.name);
        if (!from_cell) values.push_back(number ? fmt::format("{:g}", ***number) : fmt::format("{}", ***count));
    }
    return {fmt::format("{}", fmt::join(names, " and ")), fmt::format("{}", fmt::join(values, " and "))};
}

std::string name_and_given(const RowFacts& row) {
    const Given given = given_to(row);
    return given.what.empty() ? std::string(row.name) : fmt::format("{} ({} given)", row.name, given.what);
}

}  // namespace table1

}  // namespace sbdl
