// Table II of the paper, reproduced beside the printed numbers: how well each method denoises images, in cells of an
// image, a noise and a stride r of the training patches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/noisy_images.hpp"
#include "experiments/table2/cells.hpp"
#include "experiments/table_run.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Each trial is a different noise on every image and sigma. Trials run one after another; `threads` is the number of
/// threads of each.
struct Table2Options : TableOptions {
    Table2Options() { trials = 3; }

    std::filesystem::path images;  ///< folder; every image in it takes part and must be grey with 8 bits
    std::vector<int> sigmas{15, 25, 50};
    std::string figures;          ///< cell of the two figures; empty: see run_table2
    int atoms = 256;              ///< this and the next are the paper's; other values make different, faster tables
    std::size_t max_patches = 0;  ///< most training patches; 0: each recipe's own limit
};

// --- one trial: add noise to an image, denoise it, compare with the original

/// Denoises the image of a cell, with noise number `trial`, by the method of a row. Both strides also share the seed.
using Table2Task = TrialTask<Table2Cell>;

struct Table2Score {
    double psnr_noisy = 0.0;  ///< in dB, of the image before ...
    double psnr = 0.0;        ///< ... and after; neither is clipped or rounded
    double ssim = 0.0;
    double noise_found = 0.0;  ///< the noise standard deviation the method used: inferred or given
    double seconds = 0.0;
};

struct Table2Trial {
    Table2Score score;
    Image clean;
    Model model;
};

/// The noisy image of a task: Gaussian noise that depends on the options' seed, the image's name, sigma and trial.
Image table2_noisy(const Image& truth, const Table2Task& task);

/// Makes the noisy image of a task, denoises and scores it. No value when `stop` cut it short.
using Table2Denoiser = std::function<std::optional<Table2Trial>(const Table2Task& task, const Image& truth,
                                                                const Table2Options& options, const StopCheck& stop)>;
std::optional<Table2Trial> denoise_table2_trial(const Table2Task& task, const Image& truth,
                                                const Table2Options& options, const StopCheck& stop);

// --- the run

using Table2Progress = TrialProgress<Table2Task, Table2Score>;

struct Table2Hooks {
    std::function<void(const Table2Progress&)> progress;
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    Table2Denoiser denoiser = denoise_table2_trial;
};

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

struct Table2Summary : TableSummary {
    std::vector<Table2Entry> entries;     ///< by image (small ones first), sigma, stride, row; only those with a trial
    std::filesystem::path figure_images;  ///< this and the next are empty when the folder has no figures
    std::filesystem::path figure_dictionaries;
};

/// Writes trials.csv, table2.csv, table2.md and two figures; small images come before large ones. Results do not depend
/// on the number of threads. The figures show the first trial of the rows vb-paper and gibbs-paper in one cell, when
/// both are among the rows: that of `figures`, or, in a folder without figures, cameraman/25/2 or else the first cell;
/// a trial that the folder has already is repeated for them. Throws InputError for invalid options, images that cannot
/// take part, and a trials.csv that is damaged or was made with other options or images (naming the line), FileError
/// when a file cannot be read or written or another run is writing to the folder.
Table2Summary run_table2(const Table2Options& options, const Table2Hooks& hooks = {});

namespace table2 {

/// Trials of a row and a cell with different fingerprints must not be averaged: a hash of the library's version, the
/// row, and everything that determines how it denoises an image of this size (denoise/recipe.hpp).
std::string fingerprint(const Table2Task& task, std::size_t width, std::size_t height, const Table2Options& options);

/// A finished trial, as it is stored.
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

/// Inferred noise within this fraction of the truth counts as correct.
constexpr double noise_tolerance = 0.05;
bool noise_is_right(const Table2Entry& entry);

/// "reached" or "missed by 0.12"
std::string verdict_text(const Table2Entry& entry, const Table2Reference& target);

// The table as files.
std::string csv_report(const std::vector<Table2Entry>& entries);
/// `figure_cell` is that of the folder's figures, when it has some.
std::string markdown_report(const std::vector<Table2Entry>& entries, const std::vector<Record>& records,
                            const Table2Options& options, const std::optional<Table2Cell>& figure_cell);

}  // namespace table2

}  // namespace sbdl
