// Table II of the paper, reproduced beside the printed numbers: how well each method denoises images, in cells of an
// image, a noise and a stride r of the training patches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/run_origin.hpp"
#include "experiments/table2/summary.hpp"
#include "experiments/table2/trial.hpp"

namespace sbdl {

struct Table2Options : RunOrigin {
    std::filesystem::path images;  ///< folder; every image in it takes part, which must be grey with 8 bits
    int trials = 3;                ///< noises of every image and sigma
    std::vector<int> sigmas{15, 25, 50};
    std::vector<std::string> cells;  ///< as "cameraman/25/2", "*/25/*" or "sigma=25,r=2"; none: all
    std::vector<std::string> rows;   ///< names; none: all
    std::string figures;             ///< cell of the two figures; empty: see run_table2
    int atoms = 256;                 ///< this and the next are the paper's; others make other, faster tables
    std::size_t max_patches = 0;     ///< most training patches; 0: each recipe's own limit
    int threads = 0;                 ///< of each trial, which run one after the other; 0: one per core
    std::uint64_t seed = 0;          ///< determines the noise, with image, sigma and trial; all rows see the same noise
    std::filesystem::path out_dir;   ///< created when missing
};

struct Table2Progress {
    int done = 0;     ///< finished trials of this run's plan, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Table2Task task;  ///< the one that has just finished
    Table2Score score;
};

struct Table2Hooks {
    std::function<void(const Table2Progress&)> progress;
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    Table2Denoiser denoiser = denoise_table2_trial;
};

struct Table2Summary {
    std::vector<Table2Entry> entries;  ///< by image (small ones first), sigma, stride, row; only those with a trial
    int trials_run = 0;                ///< in this run
    int trials_reused = 0;             ///< of this run's plan, finished before it
    int trials_left = 0;               ///< of this run's plan, not run because it was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path table_csv;  ///< this and the next are empty, and not written, when there is no trial
    std::filesystem::path table_md;
    std::filesystem::path figure_images;  ///< this and the next are empty when the folder has no figures
    std::filesystem::path figure_dictionaries;
};

/// Writes trials.csv, table2.csv, table2.md and two figures. Trial 0 of every cell and row comes first, then trial 1,
/// and so on, small images before large ones. Results do not depend on the number of threads. The figures show the
/// first trial of the rows vb-paper and gibbs-paper in one cell, when both are among the rows: that of `figures`, or,
/// in a folder without figures, cameraman/25/2 or else the first cell; a trial that the folder has already is repeated
/// for them. Throws InputError for invalid options, images that cannot take part, and a trials.csv that is damaged or
/// was made with other options or images (naming the line), FileError when a file cannot be read or written or another
/// run is writing to the folder.
Table2Summary run_table2(const Table2Options& options, const Table2Hooks& hooks = {});

}  // namespace sbdl
