#include "experiments/table2/cells.hpp"

#include "experiments/noisy_images.hpp"

namespace sbdl {

CellNames names_of(const Table2Cell& cell) {
    return {cell.image, std::to_string(cell.sigma), std::to_string(cell.stride)};
}

std::string to_string(const Table2Cell& cell) {
    return fmt::format("{}", fmt::join(names_of(cell), "/"));
}

std::vector<std::string> table2_rows(const std::vector<std::string>& names) {
    std::vector<std::string> selected;
    for (const table2::Row& row : select_rows(table2::all_rows, "Table II", names)) selected.emplace_back(row.name);
    return selected;
}

namespace table2 {

std::size_t index_of_row(const std::string& name) {
    table2_rows({name});  // throws for an unknown one
    const auto* const row =
        std::find_if(all_rows.begin(), all_rows.end(), [&](const Row& r) { return r.name == name; });
    return static_cast<std::size_t>(row - all_rows.begin());
}

std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial) {
    return noise_seed(seed, cell.image, cell.sigma, trial);
}

}  // namespace table2

}  // namespace sbdl
