// The run: the planned trials that the folder does not have yet, in an order in which all cells advance together; then
// the reports.
#include "experiments/table1/table1.hpp"

#include <atomic>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "base/parallel.hpp"
#include "experiments/run_folder.hpp"
#include "experiments/table1/reports.hpp"
#include "experiments/table1/trial_log.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

using table1::Record;
using table1::TrialLog;

std::vector<Table1Task> plan(const Table1Options& options) {
    const std::vector<Table1Cell> cells = select_table1_cells(options.cells);
    const std::vector<Table1Row> rows = select_table1_rows(options.rows);
    std::vector<Table1Task> tasks;
    for (int trial = 0; trial < options.trials; ++trial)
        for (const Table1Cell& cell : cells)
            for (const Table1Row row : rows)
                tasks.push_back({row, cell, trial, table1::trial_seed(options.seed, cell, trial)});
    return tasks;
}

std::vector<Table1Task> without_finished(const std::vector<Table1Task>& tasks, const std::vector<Record>& finished) {
    // The seed identifies cell and trial.
    std::set<std::pair<Table1Row, std::uint64_t>> done;
    for (const Record& record : finished) done.emplace(record.task.row, record.task.seed);
    std::vector<Table1Task> left;
    for (const Table1Task& task : tasks)
        if (!done.contains({task.row, task.seed})) left.push_back(task);
    return left;
}

std::optional<Table1Score> learn(const Table1Task& task, const Table1Hooks& hooks) {
    try {
        return hooks.learner(task, hooks.stop);
    } catch (const NumericError& error) {
        throw NumericError(fmt::format("{} {} trial {} (seed {}): {}", to_string(task.row), to_string(task.cell),
                                       task.trial, task.seed, error.what()));
    }
}

/// Returns how many trials were run.
int run_tasks(const std::vector<Table1Task>& tasks, const std::string& program, int reused, int threads,
              const Table1Hooks& hooks, TrialLog& log) {
    std::atomic<bool> stopped = false;
    std::mutex one_at_a_time;
    int finished = 0;
    parallel_for(tasks.size(), resolve_threads(threads), [&](std::size_t item, int) {
        if (stopped || (hooks.stop && hooks.stop())) {
            stopped = true;
            return;
        }
        const Table1Task& task = tasks[item];
        const std::optional<Table1Score> score = learn(task, hooks);
        if (!score) {
            stopped = true;
            return;
        }
        const std::lock_guard lock(one_at_a_time);
        log.append({task, *score, program});
        ++finished;
        if (hooks.progress) hooks.progress({reused + finished, reused + static_cast<int>(tasks.size()), task, *score});
    });
    return finished;
}

}  // namespace

Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<Table1Task> tasks = plan(options);
    make_folder(options.out_dir);

    Table1Summary summary;
    summary.trials_csv = options.out_dir / "trials.csv";

    TrialLog log(summary.trials_csv, options.seed);
    const std::vector<Table1Task> left = without_finished(tasks, log.records());
    const std::string program = options.program.empty() ? version() : options.program;
    summary.trials_reused = static_cast<int>(tasks.size() - left.size());
    summary.trials_run = run_tasks(left, program, summary.trials_reused, options.threads, hooks, log);
    summary.trials_left = static_cast<int>(left.size()) - summary.trials_run;

    summary.entries = table1::summarize(log.records());
    if (!summary.entries.empty()) {
        summary.table_csv = options.out_dir / "table1.csv";
        summary.table_md = options.out_dir / "table1.md";
        summary.table_svg = options.out_dir / "table1.svg";
        write_text_file(summary.table_csv, table1::csv_report(summary.entries));
        write_text_file(summary.table_md, table1::markdown_report(summary.entries, log.records(), options));
        write_text_file(summary.table_svg, table1::svg_report(summary.entries));
    }
    return summary;
}

}  // namespace sbdl
