#include "experiments/table2/cells.hpp"

#include "experiments/noisy_images.hpp"

namespace sbdl {

CellNames names_of(const Table2Cell& cell) {
    return {cell.image, std::to_string(cell.sigma), std::to_string(cell.stride)};
}

std::string to_string(const Table2Cell& cell) {
    return fmt::format("{}", fmt::join(names_of(cell), "/"));
}

namespace {

constexpr std::string_view table_name = "Table II";

}  // namespace

std::vector<std::string> table2_rows() {
    return names_of_rows(table2::all_rows());
}

std::vector<std::string> select_table2_rows(const std::vector<std::string>& names) {
    return names.empty() ? names_of_rows(table2::own_rows()) : select_rows(table2::all_rows(), table_name, names);
}

namespace table2 {

const std::vector<Row>& own_rows() {
    static const std::vector<Row> rows{
        {"online", "online", Recipe::standard, false, ""},
        {"vb", "vb", Recipe::standard, false, "SBDL-VB"},
        {"gibbs", "gibbs", Recipe::standard, false, "SBDL-Gibbs"},
        {"gibbs-paper", "gibbs", Recipe::paper, false, "SBDL-Gibbs"},
        {"vb-paper", "vb", Recipe::paper, false, "SBDL-VB"},
        {"ksvd", "ksvd", Recipe::paper, true, "K-SVD"},
        {"apru", "apru", Recipe::paper, true, "APrU-DL", 25.0, 30.0},
        {"bpfa", "bpfa", Recipe::paper, false, "BPFA"},
        {"dct", "dct", Recipe::paper, true, ""},  // the baseline: nothing is learned
    };
    return rows;
}

std::vector<Row> all_rows() {
    return with_listed_methods(
        own_rows(), [](const Method& method) { return method.can.denoising; },
        [](const Method& method) { return Row{.name = method.name, .method = method.name}; });
}

std::size_t index_of_row(std::string_view name) {
    return place_of_row(all_rows(), table_name, name);
}

Row row_named(std::string_view name) {
    return all_rows()[index_of_row(name)];
}

std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial) {
    return noise_seed(seed, cell.image, cell.sigma, trial);
}

}  // namespace table2

}  // namespace sbdl
