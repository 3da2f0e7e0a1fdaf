// Table I of the paper, reproduced beside the printed numbers: how many atoms of a known 20 x 50 dictionary each method
// finds, in 32 cells (number of signals L, signal to noise ratio, sparsity K).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/table1/rows.hpp"
#include "experiments/table_run.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"

namespace sbdl {

/// `threads` is how many trials run at the same time.
struct Table1Options : TableOptions {
    Table1Options() { trials = 50; }  // as in the paper
};

// --- one trial: make a data set with a known dictionary, learn from it, count the atoms that were found

/// Learn from data set `trial` of a cell with the method of a row.
using Table1Task = TrialTask<Table1Cell>;

struct Table1Score {
    double nearest_percent = 0.0;   ///< RecoveryScore::nearest_rate
    double assigned_percent = 0.0;  ///< RecoveryScore::assigned_rate
    double noise_ratio = 0.0;       ///< estimated over true noise standard deviation
    double seconds = 0.0;
    int sweeps = 0;
    std::optional<bool> settled{};  ///< judge_settling() says so; no value: it is not known
};

/// Makes the data of a task, learns and scores. No value when `stop` cut it short.
using Table1Learner = std::function<std::optional<Table1Score>(const Table1Task& task, const StopCheck& stop)>;
std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop);

// --- the run

using Table1Progress = TrialProgress<Table1Task, Table1Score>;

struct Table1Hooks {
    std::function<void(const Table1Progress&)> progress;  ///< called by one thread at a time
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    Table1Learner learner = learn_table1_trial;
};

enum class Table1Verdict {
    none,          ///< the row has no target (preset paper, or not in the paper)
    met,           ///< the mean is at the target or above
    within_grace,  ///< below by at most two standard errors
    missed
};

/// All trials of one row in one cell that the folder holds.
struct Table1Entry {
    std::string row;
    Table1Cell cell;
    int trials = 0;
    MeanAndSpread nearest_percent;          ///< and standard error
    MeanAndSpread assigned_percent;         ///< and standard error
    MeanAndSpread noise_ratio;              ///< and standard deviation
    double worst_noise_ratio = 0.0;         ///< the one furthest from 1
    double seconds = 0.0;                   ///< mean
    double sweeps = 0.0;                    ///< mean
    std::optional<double> settled_percent;  ///< of the trials of which it is known; no value: of none
    std::optional<double> paper_percent;    ///< the paper's number for the same method, where it has one
    double paper_best_percent = 0.0;
    std::string_view paper_best_method;
    /// The best number of any method in the paper (RowFacts::against_best) or the paper's number for the same method;
    /// none for preset paper. Compared with nearest_percent.
    std::optional<double> target_percent;
    Table1Verdict verdict = Table1Verdict::none;
};

struct Table1Summary : TableSummary {
    std::vector<Table1Entry> entries;  ///< by cell, then by row; only those with a trial
    std::filesystem::path table_svg;

    /// How many entries of a row got this verdict.
    [[nodiscard]] int count(std::string_view row, Table1Verdict verdict) const;
};

/// Writes trials.csv, table1.csv, table1.md and table1.svg. Results do not depend on the number of threads.
/// Throws InputError for invalid options and for a trials.csv that is damaged or was made with other options (naming
/// the line), FileError when a file cannot be written or another run is writing to the folder.
Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks = {});

namespace table1 {

constexpr int signal_dim = 20;
constexpr int atom_count = 50;
constexpr double recovery_threshold = 0.01;  // on 1 - |cos|

/// The number of atoms per signal that is given to methods that need it: the mean of the cell, rounded up.
constexpr int given_sparsity(const Table1Cell& cell) {
    return (cell.sparsity_min + cell.sparsity_max + 1) / 2;
}

/// The data set of a task's cell, trial and seed.
SynthSet make_set(const Table1Task& task);
/// Learns from the data set of a task, with its seed, on one thread: trials run in parallel. No value when `stop` cut
/// it short.
std::optional<TrainResult> learn_unless_stopped(const Table1Task& task, const SynthSet& set, const AnyOptions& options,
                                                const StopCheck& stop, std::span<Observer* const> observers = {});

/// Trials with different fingerprints must not be averaged: a hash of the library's version, the setting and the row's
/// options.
std::string fingerprint(std::string_view row);

using Record = TrialRecord<Table1Task, Table1Score>;

// The first columns of a line of trials.csv: the task.
constexpr std::string_view task_header = "row,signals,snr_db,sparsity,trial,seed";
constexpr std::size_t task_columns = 6;
std::string task_fields(const Table1Task& task);
/// Fails unless the task is one of a run with this seed.
Table1Task parse_task(const TrialLine& line, std::uint64_t seed);

/// The verdict on a mean with its standard error (NaN: unknown, so no grace).
Table1Verdict judge(MeanAndSpread percent, double target_percent);

/// By cell, then by row. The order of the records does not matter.
std::vector<Table1Entry> summarize(const std::vector<Record>& records);

/// In words: "beats best", "equals best", "within 2 s.e. (short by 0.40)", "missed by 3.20"; empty without a target.
std::string verdict_text(const Table1Entry& entry);

// The table as files.
std::string csv_report(const std::vector<Table1Entry>& entries);
std::string markdown_report(const std::vector<Table1Entry>& entries, const std::vector<Record>& records,
                            const Table1Options& options);
std::string svg_report(const std::vector<Table1Entry>& entries);

}  // namespace table1

}  // namespace sbdl
