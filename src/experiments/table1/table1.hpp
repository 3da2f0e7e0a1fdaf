// Table I of the paper, reproduced beside the printed numbers: how many atoms of a known 20 x 50 dictionary each method
// finds, in 32 cells (number of signals L, signal to noise ratio, sparsity K).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/run_origin.hpp"
#include "experiments/table1/summary.hpp"
#include "experiments/table1/trial.hpp"

namespace sbdl {

struct Table1Options : RunOrigin {
    int trials = 50;                 ///< in every cell, as in the paper
    std::vector<std::string> cells;  ///< selectors; none: all 32
    std::vector<std::string> rows;   ///< names; none: all
    int threads = 0;                 ///< trials that run at the same time; 0: one per core
    std::uint64_t seed = 0;          ///< determines the data, with cell and trial; all rows see the same data
    std::filesystem::path out_dir;   ///< created when missing
};

struct Table1Progress {
    int done = 0;     ///< finished trials of this run's plan, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Table1Task task;  ///< the one that has just finished
    Table1Score score;
};

struct Table1Hooks {
    std::function<void(const Table1Progress&)> progress;  ///< called by one thread at a time
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    Table1Learner learner = learn_table1_trial;
};

struct Table1Summary {
    std::vector<Table1Entry> entries;  ///< by cell, then by row; only those with a trial
    int trials_run = 0;                ///< in this run
    int trials_reused = 0;             ///< of this run's plan, finished before it
    int trials_left = 0;               ///< of this run's plan, not run because it was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path table_csv;  ///< this and the next two are empty, and not written, when there is no trial
    std::filesystem::path table_md;
    std::filesystem::path table_svg;

    /// How many entries of a row got this verdict.
    [[nodiscard]] int count(Table1Row row, Table1Verdict verdict) const;
};

/// Writes trials.csv, table1.csv, table1.md and table1.svg. Trial 0 of every cell and row comes first, then trial 1,
/// and so on: a run that is stopped has all cells, with fewer trials. Results do not depend on the number of threads.
/// Throws InputError for invalid options and for a trials.csv that is damaged or was made with other options (naming
/// the line), FileError when a file cannot be written or another run is writing to the folder.
Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks = {});

}  // namespace sbdl
