// The parts of the Table II run that its files share: images, rows, the paper's numbers and those of published tools,
// averages, reports.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/denoise.hpp"
#include "sbdl/reproduce.hpp"

namespace sbdl::table2 {

inline constexpr std::array strides{2, 4};
constexpr int most_sigma = 255;
constexpr double peak = 255.0;  // of the PSNR

// --- images (table2_images.cpp)

struct TrueImage {
    std::string name;
    Image image;
    std::string pixels;  ///< fingerprint of its size and pixels
};

/// All images in the folder, small ones first. Throws InputError, naming the file, for one that is not grey with 8
/// bits and at least 11 pixels a side, has a name that does not fit into tables, or is there twice with two endings;
/// also when there is none. FileError for a folder or file that cannot be read.
std::vector<TrueImage> read_images(const std::filesystem::path& folder);

// --- cells, rows, seeds (table2_plan.cpp)

/// A line of our table: how it calls `denoise`.
struct Row {
    std::string_view name;
    std::string_view method;  ///< DenoiseOptions::method
    Recipe recipe = Recipe::best;
    bool told = false;          ///< sigma
    std::string_view in_print;  ///< what the paper calls the method; empty when it does not have it
    double lambda = 0.0;        ///< weights that the paper tells the method, in units of the pixels; 0: none
    double lambda_s = 0.0;
};
std::span<const Row> all_rows();
/// Throws InputError for a name that is none, with those there are.
const Row& row_named(std::string_view name);
/// Rows by their names, in the order of all_rows(); all when there is no name. Throws InputError.
std::vector<std::string> select_rows(const std::vector<std::string>& names);

/// Cells of these images, in the order of the plan, that the options select. Throws InputError.
std::vector<Table2Cell> select_cells(const std::vector<TrueImage>& images, const Table2Options& options);
/// The one cell of `cells` that the selector means. Throws InputError.
Table2Cell select_one_cell(const std::vector<Table2Cell>& cells, const std::string& selector);

std::vector<Table2Task> plan(const std::vector<Table2Cell>& cells, const Table2Options& options);

/// Does not depend on the stride, nor on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table2Cell& cell, int trial);

/// Tells trials apart that may not be averaged: a hash of the library's version, the row and the options.
std::string fingerprint(const Row& row, const Table2Options& options);

// --- the paper (table2_paper.cpp)

/// The methods of the paper's table, in its order.
std::span<const std::string_view> paper_methods();
std::optional<double> paper_psnr(const Table2Cell& cell, std::string_view method);
/// Whether the paper's image of this name is known to be the one that goes by it today.
bool same_image_in_print(const Table2Cell& cell);

// --- published tools (table2_peers.cpp)

struct Peer {
    std::string_view method;
    std::string_view told;
    bool dictionary = true;  ///< it denoises with a dictionary
    /// cameraman, boat256, couple256 with sigma 15, 25, 50.
    std::array<std::array<double, 3>, 3> psnr{};
};
std::span<const Peer> peers();
/// Nothing where it was not measured: other sizes than 256 x 256, strides than 2, sigmas, images.
std::optional<double> peer_psnr(const Peer& peer, const Table2Entry& entry);

// --- results (table2_summary.cpp)

struct Record {
    Table2Task task;
    std::size_t width = 0;
    std::size_t height = 0;
    std::string pixels;  ///< fingerprint of the image
    Table2Score score;
    std::string program;
};

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

/// The noise is to be within this of the truth.
constexpr double noise_tolerance = 0.05;
bool noise_is_right(const Table2Entry& entry);

/// "reached" or "missed by 0.12"
std::string verdict_text(const Table2Entry& entry, const Table2Reference& target);

// --- reports (table2_report.cpp, table2_counts.cpp)

std::string csv_report(const std::vector<Table2Entry>& entries);
/// `figure_cell` is that of the folder's figures, when it has some.
std::string markdown_report(const std::vector<Table2Entry>& entries, const std::vector<Record>& records,
                            const Table2Options& options, const std::optional<Table2Cell>& figure_cell);
/// The part of it that counts: cells reached and missed, in words.
std::string counts_in_words(const std::vector<Table2Entry>& entries);

}  // namespace sbdl::table2
