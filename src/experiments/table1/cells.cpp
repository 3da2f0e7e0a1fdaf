#include "experiments/table1/cells.hpp"

#include <algorithm>
#include <array>

#include "random/stream.hpp"

namespace sbdl {

CellNames names_of(const Table1Cell& cell) {
    return {std::to_string(cell.signals), std::to_string(cell.snr_db), table1::sparsity_name(cell)};
}

std::string to_string(const Table1Cell& cell) {
    return fmt::format("{}", fmt::join(names_of(cell), "/"));
}

const std::vector<Table1Cell>& table1_cells() {
    static const std::vector<Table1Cell> cells = [] {
        std::vector<Table1Cell> made;
        for (const int signals : {1000, 2000})
            for (const int snr_db : {10, 20, 30, 100})
                for (const auto& [least, most] : {std::pair{3, 3}, {4, 4}, {5, 5}, {3, 6}})
                    made.push_back({signals, snr_db, least, most});
        return made;
    }();
    return cells;
}

std::vector<Table1Cell> select_table1_cells(std::vector<std::string> selectors) {
    for (std::string& text : selectors) std::replace(text.begin(), text.end(), '-', ':');  // "3-6" is "3:6"
    return select_cells(table1_cells(), selectors);
}

namespace table1 {

std::size_t index_of(const Table1Cell& cell) {
    const auto& cells = table1_cells();
    const auto place = std::find(cells.begin(), cells.end(), cell);
    if (place == cells.end()) throw InputError(fmt::format("cell {} is not in Table I", to_string(cell)));
    return static_cast<std::size_t>(place - cells.begin());
}

std::string sparsity_name(const Table1Cell& cell) {
    return cell.sparsity_min == cell.sparsity_max ? std::to_string(cell.sparsity_min)
                                                  : fmt::format("{}:{}", cell.sparsity_min, cell.sparsity_max);
}

std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial) {
    const DrawId id{
        .purpose = Purpose::trial_seed, .sweep = static_cast<std::uint32_t>(trial), .signal = index_of(cell)};
    return random_words(seed, id, 0)[0];
}

// --- the paper's own numbers

namespace {

constexpr std::array<std::string_view, 6> method_names{"K-SVD",     "BPFA",    "APrU-DL-F",
                                                       "APrU-DL-L", "SBDL-VB", "SBDL-Gibbs"};

// Table I of Yang, Fang, Cheng and Li, "Sparse Bayesian dictionary learning with a Gaussian hierarchical model":
// recovery success rates in percent, means of 50 trials, as printed. One line per cell, in the order of table1_cells();
// one column per method, in the order of PaperMethod.
constexpr std::array<std::array<double, 6>, 32> printed{{
    {80.52, 64.48, 85.64, 48.20, 86.00, 91.52},  // 1000/10/3
    {36.36, 38.00, 64.40, 17.48, 63.84, 62.48},  // 1000/10/4
    {2.52, 11.60, 33.44, 4.68, 16.28, 6.32},     // 1000/10/5
    {0.80, 26.56, 53.68, 12.52, 47.48, 41.80},   // 1000/10/3:6
    {93.20, 83.20, 94.04, 72.48, 97.28, 99.64},  // 1000/20/3
    {93.44, 85.88, 93.32, 40.32, 95.96, 99.16},  // 1000/20/4
    {92.08, 85.00, 87.76, 14.15, 92.32, 97.52},  // 1000/20/5
    {84.68, 85.08, 93.48, 33.04, 94.48, 99.12},  // 1000/20/3:6
    {94.24, 75.72, 94.24, 73.40, 96.60, 99.60},  // 1000/30/3
    {94.32, 80.68, 94.92, 43.16, 96.16, 99.16},  // 1000/30/4
    {93.92, 82.96, 88.16, 17.16, 92.32, 98.64},  // 1000/30/5
    {86.64, 81.56, 93.96, 34.36, 95.48, 99.00},  // 1000/30/3:6
    {94.24, 75.88, 94.36, 74.88, 97.20, 99.32},  // 1000/100/3
    {94.32, 78.96, 93.84, 44.72, 97.52, 99.24},  // 1000/100/4
    {93.92, 82.16, 88.68, 18.12, 92.24, 98.24},  // 1000/100/5
    {85.44, 78.24, 93.64, 36.08, 94.56, 98.96},  // 1000/100/3:6
    {91.00, 85.44, 97.00, 84.84, 92.92, 98.56},  // 2000/10/3
    {88.88, 82.84, 94.88, 68.36, 81.80, 95.72},  // 2000/10/4
    {50.56, 67.92, 86.24, 42.28, 55.68, 80.20},  // 2000/10/5
    {25.32, 81.24, 95.44, 64.04, 77.16, 93.88},  // 2000/10/3:6
    {95.64, 84.44, 95.40, 85.32, 97.64, 99.48},  // 2000/20/3
    {96.68, 87.16, 96.48, 82.44, 96.56, 99.56},  // 2000/20/4
    {95.16, 88.48, 95.80, 64.48, 92.12, 98.92},  // 2000/20/5
    {94.00, 86.68, 96.56, 79.84, 95.04, 99.16},  // 2000/20/3:6
    {95.88, 76.84, 94.28, 86.32, 96.88, 99.40},  // 2000/30/3
    {96.92, 81.00, 95.00, 82.40, 96.96, 99.16},  // 2000/30/4
    {96.96, 83.60, 96.80, 66.08, 92.96, 99.52},  // 2000/30/5
    {93.36, 81.64, 95.64, 80.52, 94.96, 99.32},  // 2000/30/3:6
    {96.04, 75.24, 95.56, 86.36, 96.84, 99.40},  // 2000/100/3
    {97.88, 80.12, 95.48, 82.92, 96.56, 99.44},  // 2000/100/4
    {96.88, 83.00, 96.08, 65.76, 94.32, 99.24},  // 2000/100/5
    {92.20, 81.36, 96.00, 79.56, 96.36, 99.40},  // 2000/100/3:6
}};

}  // namespace

std::string_view to_string(PaperMethod method) {
    return method_names[static_cast<std::size_t>(method)];
}

double paper_percent(const Table1Cell& cell, PaperMethod method) {
    return printed[index_of(cell)][static_cast<std::size_t>(method)];
}

PaperBest paper_best(const Table1Cell& cell) {
    const auto& line = printed[index_of(cell)];
    const auto best = std::max_element(line.begin(), line.end());
    return {*best, to_string(static_cast<PaperMethod>(best - line.begin()))};
}

}  // namespace table1

}  // namespace sbdl
