// From trials to means, standard errors and what they are compared with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/averages.hpp"
#include "experiments/table2/trial.hpp"

namespace sbdl {

/// A number in print or measured elsewhere.
struct Table2Reference {
    std::string_view method;
    double psnr = 0.0;
};

/// All trials of one row in one cell that the folder holds.
struct Table2Entry {
    std::string row;
    bool given_sigma = false;
    Table2Cell cell;
    std::size_t width = 0;
    std::size_t height = 0;
    int trials = 0;
    MeanAndSpread psnr_noisy;   ///< and standard error
    MeanAndSpread psnr;         ///< and standard error
    MeanAndSpread ssim;         ///< and standard error
    MeanAndSpread noise_ratio;  ///< found over true sigma, and standard deviation
    double seconds = 0.0;       ///< mean
    /// The paper's number for the same method, where it has this method and this image.
    std::optional<Table2Reference> paper;
    /// The best dictionary method among the published tools (all given sigma), where they were measured.
    std::optional<Table2Reference> best_peer;
    std::optional<Table2Reference> bm3d;
};

namespace table2 {

/// By image (small ones first), sigma, stride, row. The order of the records does not matter.
std::vector<Table2Entry> summarize(const std::vector<Record>& records);

using Entries = std::vector<const Table2Entry*>;

/// The entries for which wanted(entry) is true.
template <class Wanted>
Entries those(const std::vector<Table2Entry>& entries, const Wanted& wanted) {
    Entries found;
    for (const Table2Entry& entry : entries)
        if (wanted(entry)) found.push_back(&entry);
    return found;
}

/// An inferred noise within this fraction of the truth counts as right.
constexpr double noise_tolerance = 0.05;
bool noise_is_right(const Table2Entry& entry);

/// "reached" or "missed by 0.12"
std::string verdict_text(const Table2Entry& entry, const Table2Reference& target);

}  // namespace table2

}  // namespace sbdl
