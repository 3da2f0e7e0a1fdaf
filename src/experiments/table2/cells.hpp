// The rows and cells of Table II: their names, how they are selected, and the seed of each trial.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/selection.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

struct Table2Cell {
    std::string image;  ///< the name of its file without the extension
    int sigma = 0;      ///< standard deviation of the noise, on the images' scale of 0 ... 255
    int stride = 0;     ///< r, of the training patches: 2 or 4
    bool operator==(const Table2Cell&) const = default;

    static constexpr PartNames parts{"image", "sigma", "r"};
};

CellNames names_of(const Table2Cell& cell);
/// In the form in which cells are selected: "cameraman/25/2"
std::string to_string(const Table2Cell& cell);

/// The rows with these names, in the order of our table: "online" (the default of `denoise`), "vb", "gibbs",
/// "gibbs-paper" and "vb-paper" (the paper's recipe), ...; all when there is no name. Throws InputError.
std::vector<std::string> table2_rows(const std::vector<std::string>& names = {});

namespace table2 {

inline constexpr std::array strides{2, 4};

/// A row of our table: how it calls `denoise`.
struct Row {
    std::string_view name;
    std::string_view method;  ///< DenoiseOptions::method
    Recipe recipe = Recipe::standard;
    bool given_sigma = false;
    std::string_view in_print;  ///< the paper's name for the method; empty when it does not have it
    double lambda = 0.0;        ///< the paper's weights for the method, in units of the pixels; 0: none
    double lambda_s = 0.0;
};

inline constexpr std::array all_rows{
    Row{"online", "online", Recipe::standard, false, ""},  // the defaults
    Row{"vb", "vb", Recipe::standard, false, "SBDL-VB"},
    Row{"gibbs", "gibbs", Recipe::standard, false, "SBDL-Gibbs"},
    Row{"gibbs-paper", "gibbs", Recipe::paper, false, "SBDL-Gibbs"},
    Row{"vb-paper", "vb", Recipe::paper, false, "SBDL-VB"},
    Row{"ksvd", "ksvd", Recipe::paper, true, "K-SVD"},
    Row{"apru", "apru", Recipe::paper, true, "APrU-DL", 25.0, 30.0},
    Row{"bpfa", "bpfa", Recipe::paper, false, "BPFA"},
    Row{"dct", "dct", Recipe::paper, true, ""},  // the baseline: nothing is learned
};

/// The position in all_rows. Throws InputError for an unknown name; the message lists the rows.
std::size_t index_of_row(const std::string& name);

/// Depends neither on the stride nor on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial);

}  // namespace table2

}  // namespace sbdl
