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

/// The names of all rows: "online" (the default of `denoise`), "vb", "gibbs", "gibbs-paper" and "vb-paper" (the paper's
/// recipe), ... of our table, then the other methods of the list that can denoise.
std::vector<std::string> table2_rows();

/// Rows by their names, in the order of table2_rows(); when there is no name, those of our table. Throws InputError.
std::vector<std::string> select_table2_rows(const std::vector<std::string>& names);

namespace table2 {

inline constexpr std::array strides{2, 4};

/// A row: how it calls `denoise`.
struct Row {
    std::string_view name;
    std::string_view method;  ///< DenoiseOptions::method
    Recipe recipe = Recipe::standard;
    bool given_sigma = false;
    std::string_view in_print = {};  ///< the paper's name for the method; empty when it does not have it
    double lambda = 0.0;             ///< the paper's weights for the method, in units of the pixels; 0: none
    double lambda_s = 0.0;
};

/// Those of our table; the first one has the defaults of `denoise`.
const std::vector<Row>& own_rows();
/// All, in the order of table2_rows().
std::vector<Row> all_rows();

/// The place among all_rows(), and the row there. Throw InputError for an unknown name; the message lists the rows.
std::size_t index_of_row(std::string_view name);
Row row_named(std::string_view name);

/// Depends neither on the stride nor on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial);

}  // namespace table2

}  // namespace sbdl
