#include "experiments/table2/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/cell_selector.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table2 {

namespace {

CellNames names_of(const Table2Cell& cell) {
    return {cell.image, std::to_string(cell.sigma), std::to_string(cell.stride)};
}

// The values of each part, without repetition.
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
    if (sigmas.empty()) throw InputError("sigma is empty; at least one noise level is needed");
    std::sort(sigmas.begin(), sigmas.end());
    sigmas.erase(std::unique(sigmas.begin(), sigmas.end()), sigmas.end());
    for (const int sigma : sigmas)
        if (sigma < 1 || sigma > most_sigma)
            throw InputError(fmt::format("sigma is {}, must be 1 to {}", sigma, most_sigma));
    return sigmas;
}

}  // namespace

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
        throw InputError(fmt::format("'{}' matches {} of the cells of this run; it must match one, as in {}", selector,
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

}  // namespace sbdl::table2
