#include "experiments/table2/cells.hpp"

#include "experiments/trial_file.hpp"
#include "random/stream.hpp"

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

std::vector<int> sorted_sigmas(std::vector<int> sigmas) {
    if (sigmas.empty()) throw InputError("sigma is empty; at least one noise level is needed");
    std::sort(sigmas.begin(), sigmas.end());
    sigmas.erase(std::unique(sigmas.begin(), sigmas.end()), sigmas.end());
    for (const int sigma : sigmas)
        if (sigma < 1 || sigma > most_sigma)
            throw InputError(fmt::format("sigma is {}, must be 1 to {}", sigma, most_sigma));
    return sigmas;
}

std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial) {
    constexpr std::uint64_t signal_bits = (std::uint64_t{1} << 48U) - 1;
    const DrawId id{.purpose = Purpose::denoising_trial_seed,
                    .sweep = static_cast<std::uint32_t>(trial),
                    .chain = static_cast<std::uint32_t>(cell.sigma),
                    .signal = fnv1a(cell.image) & signal_bits};
    return random_words(seed, id, 0)[0];
}

}  // namespace table2

}  // namespace sbdl
