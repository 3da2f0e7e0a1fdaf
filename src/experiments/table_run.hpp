// The common part of the runs that have cells, rows and trials: the plan, the file of finished trials, and the loop
// over the remaining ones.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "experiments/run_folder.hpp"
#include "experiments/trial_file.hpp"

namespace sbdl {

struct TableOptions : RunOrigin {
    int trials = 0;                  ///< in every cell
    std::vector<std::string> cells;  ///< selectors; none: all
    std::vector<std::string> rows;   ///< names; none: all
    int threads = 0;                 ///< 0: one per core
    std::uint64_t seed = 0;          ///< determines the data, with cell and trial; all rows see the same data
    std::filesystem::path out_dir;   ///< created when missing
};

/// One trial of a table: a row on the data of a cell.
template <class Cell>
struct TrialTask {
    std::string row;
    Cell cell{};
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the data and of the method; the same for all rows
    bool operator==(const TrialTask&) const = default;

    /// "gibbs 1000/10/3 trial 0"
    [[nodiscard]] std::string name() const { return fmt::format("{} {} trial {}", row, to_string(cell), trial); }
};

/// A finished trial, as it is stored.
template <class Task, class Score>
struct TrialRecord {
    Task task;
    Score score;
    std::string program;
};

template <class Task, class Score>
struct TrialProgress {
    int done = 0;     ///< finished trials of this run's plan, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Task task;        ///< the one that has just finished
    Score score;
};

/// How a run makes a trial, and whom it tells.
template <class Task, class Score>
struct TrialHooks {
    std::function<std::optional<Score>(const Task& task, const StopCheck& stop)> learner;  ///< no value: cut short
    StopCheck stop;
    std::function<void(const TrialProgress<Task, Score>&)> progress;
};

/// What a run did, and the files it wrote.
struct TableSummary {
    int trials_run = 0;     ///< in this run
    int trials_reused = 0;  ///< of this run's plan, finished before it
    int trials_left = 0;    ///< of this run's plan, not run because it was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path table_csv;  ///< this and other tables are empty, and not written, when there is no trial
    std::filesystem::path table_md;
};

/// Trial 0 of every cell and row comes first, then trial 1, and so on: a run that is stopped has all cells, with fewer
/// trials.
template <class Cell, class SeedOf>
std::vector<TrialTask<Cell>> plan_trials(const TableOptions& options, const std::vector<std::string>& rows,
                                         const std::vector<Cell>& cells, const SeedOf& seed_of) {
    std::vector<TrialTask<Cell>> tasks;
    for (int trial = 0; trial < options.trials; ++trial)
        for (const Cell& cell : cells)
            for (const std::string& row : rows) tasks.push_back({row, cell, trial, seed_of(options.seed, cell, trial)});
    return tasks;
}

/// The finished trials of a folder, those of earlier runs included. A Record has a task and what is stored with it.
template <class Record>
class TrialLog {
public:
    /// Like TrialFile; `parse` makes a record from a line, or throws InputError for a line that does not belong here.
    TrialLog(const std::filesystem::path& path, const std::string& header, std::string_view what,
             const std::function<Record(const TrialLine&)>& parse, std::string_view later_columns = {})
        : file_(
              path, header, what,
              [&](const TrialLine& line) {
                  Record record = parse(line);
                  if (!names_.insert(record.task.name()).second)
                      line.fail(fmt::format("{} occurs twice", record.task.name()));
                  records_.push_back(std::move(record));
              },
              later_columns) {}

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }

    template <class Task>
    [[nodiscard]] bool has(const Task& task) const {
        return names_.contains(task.name());
    }

    /// Throws NumericError when one of the results is not finite.
    void append(const Record& record, const std::string& line, const std::vector<double>& results) {
        for (const double result : results)
            if (!std::isfinite(result))
                throw NumericError(fmt::format("{}: a result is not finite", record.task.name()));
        file_.append(line);
        names_.insert(record.task.name());
        records_.push_back(record);
    }

private:
    std::vector<Record> records_;
    std::set<std::string> names_;  // of the tasks
    TrialFile file_;
};

/// Runs the tasks in order, up to `threads` at a time, until `stop` or a trial that was cut short ends it. run(task)
/// returns a trial, or nothing when it was cut short; keep(task, trial) is called by one thread at a time. Errors of
/// run() name the task.
template <class Task, class Run, class Keep>
void run_trials(const std::vector<Task>& tasks, int at_a_time, const StopCheck& stop, const Run& run,
                const Keep& keep) {
    const auto run_named = [&run](const Task& task) {
        const auto named = [&task](const Error& error) {
            return fmt::format("{} (seed {}): {}", task.name(), task.seed, error.what());
        };
        try {
            return run(task);
        } catch (const NumericError& error) {
            throw NumericError(named(error));
        } catch (const InputError& error) {
            throw InputError(named(error));
        }
    };
    std::atomic<bool> stopped = false;
    std::mutex one_at_a_time;
    parallel_for(tasks.size(), at_a_time, [&](std::size_t item, int) {
        auto trial = stopped || (stop && stop()) ? std::nullopt : run_named(tasks[item]);
        if (!trial) {
            stopped = true;
            return;
        }
        const std::lock_guard lock(one_at_a_time);
        keep(tasks[item], std::move(*trial));
    });
}

/// Runs the planned trials that the log does not have yet, appends them to it and counts them in the summary. Hooks has
/// learner(task, stop), stop and progress; to_line(record) is the line in the file, and the trial fails when one of
/// results_of(score) is not finite.
template <class Task, class Score, class Hooks, class ToLine, class ResultsOf>
void run_missing(std::vector<Task> tasks, const TableOptions& options, const Hooks& hooks,
                 TrialLog<TrialRecord<Task, Score>>& log, TableSummary& summary, const ToLine& to_line,
                 const ResultsOf& results_of) {
    const auto planned = static_cast<int>(tasks.size());
    summary.trials_reused = static_cast<int>(std::erase_if(tasks, [&](const Task& task) { return log.has(task); }));
    run_trials(
        tasks, resolve_threads(options.threads), hooks.stop,
        [&](const Task& task) { return hooks.learner(task, hooks.stop); },
        [&](const Task& task, const Score& score) {
            const TrialRecord<Task, Score> record{task, score, options.program_or_version()};
            log.append(record, to_line(record), results_of(score));
            ++summary.trials_run;
            if (hooks.progress) hooks.progress({summary.trials_reused + summary.trials_run, planned, task, score});
        });
    summary.trials_left = planned - summary.trials_reused - summary.trials_run;
}

}  // namespace sbdl
