// The paper's Table I done again: how many atoms of a known 20 x 50 dictionary each method finds, in 32 cells (number
// of signals L, signal to noise ratio, sparsity K), beside the numbers in print.
//
// A run lives in a folder. Every finished trial is one line of trials.csv there, so a run that was stopped goes on
// where it was, and rows, cells or trials can be added later. table1.csv, table1.md and table1.svg tell what the folder
// holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl {

/// A line of our table: a method with a preset.
enum class Table1Row { gibbs, gibbs_paper, vb, vb_paper };

/// "gibbs", "gibbs-paper", "vb", "vb-paper"
std::string_view to_string(Table1Row row);

struct Table1Cell {
    int signals = 0;  ///< L: 1000 or 2000
    int snr_db = 0;   ///< 10, 20, 30 or 100
    int sparsity_min = 0;
    int sparsity_max = 0;  ///< K: 3, 4 or 5 for both, or 3 and 6
    bool operator==(const Table1Cell&) const = default;
};

/// As cells are selected: "1000/10/3", "2000/100/3:6"
std::string to_string(const Table1Cell& cell);

/// The 32 cells, in the order of the paper.
const std::vector<Table1Cell>& table1_cells();

/// The cells that match any of the selectors, in the order of the paper; all cells when there is no selector. A
/// selector is "L/SNR/K", as in "1000/10/3", "*/20/*" or "2000/*/3:6" ("3-6" is the same), or names what it fixes, as
/// in "L=1000,snr=10,K=3" or "snr=20". Throws InputError for anything else, with what can be chosen.
std::vector<Table1Cell> select_table1_cells(const std::vector<std::string>& selectors);

/// Rows by their names, in the order of Table1Row; all when there is no name. Throws InputError.
std::vector<Table1Row> select_table1_rows(const std::vector<std::string>& names);

struct Table1Options {
    int trials = 50;                 ///< in every cell, as in the paper
    std::vector<std::string> cells;  ///< selectors; none: all 32
    std::vector<std::string> rows;   ///< names; none: all four
    int threads = 0;                 ///< trials that run at the same time; 0: one a core
    std::uint64_t seed = 0;          ///< with cell and trial it makes the data; all rows see the same
    std::filesystem::path out_dir;   ///< made when missing

    // What the report says about where its numbers come from; empty ones are left out.
    std::string program;  ///< version and commit, kept with each trial; empty: the library's version
    std::string command;
    std::string date;
    std::string machine;
};

/// One thing to do: learn from data set `trial` of a cell with the method of a row.
struct Table1Task {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the data and of the learner; the same for all rows
    bool operator==(const Table1Task&) const = default;
};

struct Table1Score {
    double nearest_percent = 0.0;   ///< RecoveryScore::nearest_rate
    double assigned_percent = 0.0;  ///< RecoveryScore::assigned_rate
    double noise_ratio = 0.0;       ///< estimated over true noise standard deviation
    double seconds = 0.0;
    int sweeps = 0;
};

struct Table1Progress {
    int done = 0;     ///< trials of this run's plan that are finished, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Table1Task task;  ///< the one that has just finished
    Table1Score score;
};

using StopCheck = std::function<bool()>;

/// Makes the data of a task, learns and scores. Nothing when `stop` cut it short.
using Table1Learner = std::function<std::optional<Table1Score>(const Table1Task& task, const StopCheck& stop)>;
std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop);

struct Table1Hooks {
    std::function<void(const Table1Progress&)> progress;  ///< called by one thread at a time
    StopCheck stop;  ///< called by any thread, often; once it says true the run ends and what is finished is kept
    Table1Learner learner = learn_table1_trial;
};

enum class Table1Verdict {
    none,          ///< the row has no target (preset paper)
    met,           ///< mean at the target or above
    within_grace,  ///< below by at most two standard errors
    missed
};

/// Mean over trials; the standard error (or deviation) is NaN when there is one trial only.
struct MeanAndSpread {
    double mean = 0.0;
    double spread = 0.0;
};

/// All trials of one row in one cell that the folder holds.
struct Table1Entry {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trials = 0;
    MeanAndSpread nearest_percent;   ///< and standard error
    MeanAndSpread assigned_percent;  ///< and standard error
    MeanAndSpread noise_ratio;       ///< and standard deviation
    double seconds = 0.0;            ///< mean
    double sweeps = 0.0;             ///< mean
    double paper_percent = 0.0;      ///< the paper's number for the same method
    double paper_best_percent = 0.0;
    std::string_view paper_best_method;
    /// gibbs: the best number of any method in the paper; vb: the paper's SBDL-VB. Compared with nearest_percent.
    std::optional<double> target_percent;
    Table1Verdict verdict = Table1Verdict::none;
};

struct Table1Summary {
    std::vector<Table1Entry> entries;  ///< by cell, then by row; only those with a trial
    int trials_run = 0;                ///< in this run
    int trials_reused = 0;             ///< of this run's plan, found finished
    int trials_left = 0;               ///< of this run's plan, not made because the run was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path
        table_csv;  ///< this and the next two are empty, and not written, when there is no trial at all
    std::filesystem::path table_md;
    std::filesystem::path table_svg;

    /// How many entries of a row got this verdict.
    [[nodiscard]] int count(Table1Row row, Table1Verdict verdict) const;
};

/// Trial 0 of every cell and row comes first, then trial 1, ...: a run that is stopped has all cells, with fewer
/// trials. Results do not depend on the number of threads. Throws InputError for options that make no sense and for a
/// trials.csv that is damaged or was made with other options (naming the line), FileError when a file cannot be written
/// or another run is writing to the folder.
Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks = {});

}  // namespace sbdl
