// What a Table II run is made of: its rows and cells, how they are selected, their order, the seed of each trial.
#include <algorithm>

#include <fmt/format.h>

#include "experiments/cell_selector.hpp"
#include "experiments/fnv1a.hpp"
#include "experiments/table2.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

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
    Row{"dct", "dct", Recipe::paper, true, ""},  // the floor: nothing is learned
};

CellNames names_of(const Table2Cell& cell) {
    return {cell.image, std::to_string(cell.sigma), std::to_string(cell.stride)};
}

// The parts of some cells, each value once.
CellParts parts_of(const std::vector<Table2Cell>& cells) {
    CellParts parts{{"image", "sigma", "r"}, {}};
    for (const Table2Cell& cell : cells) {
        const CellNames names = names_of(cell);
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::vector<std::string>& values = parts.values[i];
            if (std::find(values.begin(), values.end(), names[i]) == values.end()) values.push_back(names[i]);
        }
    }
    return parts;
}

std::vector<int> checked_sigmas(std::vector<int> sigmas) {
    if (sigmas.empty()) throw InputError("sigma: there is none; at least one noise is needed");
    std::sort(sigmas.begin(), sigmas.end());
    sigmas.erase(std::unique(sigmas.begin(), sigmas.end()), sigmas.end());
    for (const int sigma : sigmas)
        if (sigma < 1 || sigma > most_sigma)
            throw InputError(fmt::format("sigma is {}, must be 1 to {}", sigma, most_sigma));
    return sigmas;
}

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

std::vector<Table2Cell> select_cells(const std::vector<TrueImage>& images, const Table2Options& options) {
    std::vector<Table2Cell> cells;
    for (const TrueImage& image : images)
        for (const int sigma : checked_sigmas(options.sigmas))
            for (const int stride : strides) cells.push_back({image.name, sigma, stride});
    const CellParts parts = parts_of(cells);
    std::vector<CellSelector> selectors;
    for (const std::string& text : options.cells) selectors.emplace_back(text, parts);
    std::erase_if(cells, [&](const Table2Cell& cell) { return !selected(selectors, names_of(cell)); });
    return cells;
}

Table2Cell select_one_cell(const std::vector<Table2Cell>& cells, const std::string& selector) {
    const CellSelector parsed(selector, parts_of(cells));
    std::vector<Table2Cell> found;
    for (const Table2Cell& cell : cells)
        if (parsed.matches(names_of(cell))) found.push_back(cell);
    if (found.size() != 1)
        throw InputError(fmt::format("'{}' is {} of the cells of this run; one is needed, as in {}", selector,
                                     found.size(), to_string(cells.front())));
    return found.front();
}

std::vector<Table2Task> plan(const std::vector<Table2Cell>& cells, const Table2Options& options) {
    const std::vector<std::string> chosen = select_rows(options.rows);
    std::vector<Table2Task> tasks;
    for (int trial = 0; trial < options.trials; ++trial)
        for (const Table2Cell& cell : cells)
            for (const std::string& row : chosen)
                tasks.push_back({cell, row, trial, trial_seed(options.seed, cell, trial)});
    return tasks;
}

std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial) {
    constexpr std::uint64_t signal_bits = (std::uint64_t{1} << 48U) - 1;
    const DrawId id{.purpose = Purpose::denoising_trial_seed,
                    .sweep = static_cast<std::uint32_t>(trial),
                    .chain = static_cast<std::uint32_t>(cell.sigma),
                    .signal = fnv1a(cell.image) & signal_bits};
    return random_words(seed, id, 0)[0];
}

std::string fingerprint(const Row& row, const Table2Options& options) {
    std::string facts =
        fmt::format("{} {} {} {} {} {} {}", row.name, version(), row.method,
                    row.recipe == Recipe::best ? "best" : "paper", row.told, options.atoms, options.max_patches);
    if (row.recipe == Recipe::paper) facts += fmt::format(" tolerance {}", paper_tolerance);
    if (row.lambda > 0.0) facts += fmt::format(" {} {}", row.lambda, row.lambda_s);
    return fmt::format("{:016x}", fnv1a(facts));
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
