#include "experiments/table2/cells.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/fnv1a.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace table2 {

namespace {

constexpr std::array rows{
    Row{"online", "online", Recipe::best, false, ""},  // the defaults
    Row{"vb", "vb", Recipe::best, false, "SBDL-VB"},
    Row{"gibbs", "gibbs", Recipe::best, false, "SBDL-Gibbs"},
    Row{"gibbs-paper", "gibbs", Recipe::paper, false, "SBDL-Gibbs"},
    Row{"vb-paper", "vb", Recipe::paper, false, "SBDL-VB"},
    Row{"ksvd", "ksvd", Recipe::paper, true, "K-SVD"},
    Row{"apru", "apru", Recipe::paper, true, "APrU-DL", 25.0, 30.0},
    Row{"bpfa", "bpfa", Recipe::paper, false, "BPFA"},
    Row{"dct", "dct", Recipe::paper, true, ""},  // the baseline: nothing is learned
};

}  // namespace

std::span<const Row> all_rows() {
    return rows;
}

const Row& row_named(std::string_view name) {
    const auto* const row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    if (row == rows.end())
        throw InputError(
            fmt::format("'{}' is not a row of the Table II run; there are {}", name, fmt::join(table2_rows(), ", ")));
    return *row;
}

std::vector<std::string> select_rows(const std::vector<std::string>& names) {
    for (const std::string& name : names) row_named(name);
    std::vector<std::string> selected = table2_rows();
    if (!names.empty())
        std::erase_if(selected,
                      [&](const auto& name) { return std::find(names.begin(), names.end(), name) == names.end(); });
    return selected;
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

std::string to_string(const Table2Cell& cell) {
    return fmt::format("{}/{}/{}", cell.image, cell.sigma, cell.stride);
}

std::vector<std::string> table2_rows() {
    std::vector<std::string> names;
    for (const table2::Row& row : table2::all_rows()) names.emplace_back(row.name);
    return names;
}

}  // namespace sbdl
