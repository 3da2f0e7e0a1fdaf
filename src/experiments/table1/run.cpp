// The run: trials.csv, the planned trials that it does not have yet, then the reports.
#include "base/atomic_file.hpp"
#include "experiments/table1/table1.hpp"

namespace sbdl {

namespace table1 {
namespace {

constexpr std::string_view later_columns = ",settled";  // files of earlier programs lack them

std::string header() {
    return fmt::format("{},nearest_percent,assigned_percent,noise_ratio,seconds,sweeps,program,options{}\n",
                       task_header, later_columns);
}

std::string to_line(const Record& record) {
    const auto& [task, score, program] = record;
    return fmt::format("{},{},{},{},{:.3f},{},{},{},{}\n", task_fields(task), score.nearest_percent,
                       score.assigned_percent, score.noise_ratio, score.seconds, score.sweeps, program,
                       fingerprint(task.row), score.settled ? (*score.settled ? "1" : "0") : "");
}

Record parse_record(const TrialLine& line, std::uint64_t seed) {
    constexpr double huge = 1e300;
    Record record;
    record.task = parse_task(line, seed);
    record.score.nearest_percent = line.number<double>(6, 0, 100);
    record.score.assigned_percent = line.number<double>(7, 0, 100);
    record.score.noise_ratio = line.number<double>(8, 0, huge);
    record.score.seconds = line.number<double>(9, 0, huge);
    record.score.sweeps = line.number<int>(10, 0, 2e9);
    record.program = line.text(11);
    line.check_fingerprint(12, fingerprint(record.task.row));
    if (!line.text(13).empty()) record.score.settled = line.number<int>(13, 0, 1) == 1;
    return record;
}

}  // namespace

std::string task_fields(const Table1Task& task) {
    return fmt::format("{},{},{},{},{},{}", task.row, task.cell.signals, task.cell.snr_db, sparsity_name(task.cell),
                       task.trial, task.seed);
}

Table1Task parse_task(const TrialLine& line, std::uint64_t seed) {
    Table1Task task;
    task.row = line.parse([&] { return select_table1_rows({line.text(0)}); }).front();
    const auto cells = line.parse(
        [&] { return select_table1_cells({fmt::format("{}/{}/{}", line.text(1), line.text(2), line.text(3))}); });
    if (cells.size() != 1) line.fail("this is not a single cell");
    task.cell = cells.front();
    task.trial = line.number<int>(4, 0, most_trials - 1);
    task.seed = trial_seed(seed, task.cell, task.trial);
    line.check_seed(5, task.seed);
    return task;
}

}  // namespace table1

Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<Table1Cell> cells = select_table1_cells(options.cells);
    const std::vector<Table1Task> tasks =
        plan_trials(options, select_table1_rows(options.rows), cells, table1::trial_seed);
    make_folder(options.out_dir);

    Table1Summary summary;
    summary.trials_csv = options.out_dir / "trials.csv";
    TrialLog<table1::Record> log(
        summary.trials_csv, table1::header(), "Table I trials",
        [&](const TrialLine& line) { return table1::parse_record(line, options.seed); }, table1::later_columns);
    run_missing(tasks, options, hooks, log, summary, table1::to_line, [](const Table1Score& score) {
        return std::vector{score.nearest_percent, score.assigned_percent, score.noise_ratio};
    });

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
