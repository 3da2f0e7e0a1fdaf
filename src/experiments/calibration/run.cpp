// One trial, and the run: trials.csv, the planned trials that it does not have yet, then the reports.
#include "base/atomic_file.hpp"
#include "experiments/calibration/calibration.hpp"

namespace sbdl {

namespace calibration {
namespace {

constexpr std::array rows_with_posterior{table1::facts_of(Table1Row::gibbs), table1::facts_of(Table1Row::vb)};

AnyOptions options_with_codes(const CalibrationTask& task) {
    AnyOptions options = table1::learner_options(task.row, task.cell);
    *std::get<bool*>(table1::option_named(options, "keep_codes").value) = true;
    return options;
}

// --- a trial as a line of trials.csv: the task, the numbers, the coverages, the origin

constexpr std::size_t first_coverage = table1::task_columns + 6;
constexpr std::size_t columns_of_coverage = 1 + Coverage::levels.size();
constexpr std::size_t program_column = first_coverage + coverages<CalibrationScore>.size() * columns_of_coverage;

std::string header() {
    return fmt::format("{},nearest_percent,noise_ratio,settled,rhat,ess,seconds{},program,options\n",
                       table1::task_header, coverage_columns());
}

std::string known(double number) {
    return std::isnan(number) ? "" : fmt::format("{}", number);
}

std::string to_line(const Record& record) {
    const auto& [task, score, program] = record;
    std::string text =
        fmt::format("{},{},{},{},{},{},{:.3f}", table1::task_fields(task), score.nearest_percent, score.noise_ratio,
                    score.settled ? 1 : 0, known(score.rhat), known(score.ess), score.seconds);
    for (const auto& [name, member] : coverages<CalibrationScore>)
        text += fmt::format(",{},{}", (score.*member).values, fmt::join((score.*member).percent, ","));
    return text + fmt::format(",{},{}\n", program, fingerprint(task.row));
}

Record parse_record(const TrialLine& line, std::uint64_t seed) {
    constexpr double huge = 1e300, unbounded = std::numeric_limits<double>::infinity();
    const auto number_or_unknown = [&](std::size_t column) {
        return line.text(column).empty() ? std::numeric_limits<double>::quiet_NaN()
                                         : line.number<double>(column, 0, unbounded);
    };
    Record record;
    record.task = table1::parse_task(line, seed);
    record.task.row = line.parse([&] { return select_calibration_rows({line.text(0)}); }).front();
    std::size_t column = table1::task_columns;
    record.score.nearest_percent = line.number<double>(column++, 0, 100);
    record.score.noise_ratio = line.number<double>(column++, 0, huge);
    record.score.settled = line.number<int>(column++, 0, 1) == 1;
    record.score.rhat = number_or_unknown(column++);
    record.score.ess = number_or_unknown(column++);
    record.score.seconds = line.number<double>(column++, 0, huge);
    for (const auto& [name, member] : coverages<CalibrationScore>) {
        (record.score.*member).values = line.number<int>(column++, 0, 2e9);
        for (double& percent : (record.score.*member).percent) percent = line.number<double>(column++, 0, 100);
    }
    record.program = line.text(program_column);
    line.check_fingerprint(program_column + 1, fingerprint(record.task.row));
    return record;
}

}  // namespace

std::string coverage_columns() {
    std::string text;
    for (const auto& [name, member] : coverages<CalibrationScore>) {
        text += fmt::format(",{}_values", name);
        for (const int level : Coverage::levels) text += fmt::format(",{}_{}", name, level);
    }
    return text;
}

std::string fingerprint(Table1Row row) {
    return fmt::format("{:016x}", fnv1a(fmt::format("calibration {}", table1::fingerprint(row))));
}

}  // namespace calibration

std::vector<Table1Row> select_calibration_rows(const std::vector<std::string>& names) {
    std::vector<Table1Row> selected;
    for (const table1::RowFacts& row : select_rows(calibration::rows_with_posterior, "calibration", names))
        selected.push_back(row.row);
    return selected;
}

std::optional<CalibrationScore> learn_calibration_trial(const CalibrationTask& task, const StopCheck& stop) {
    const SynthSet truth = table1::make_set(task);
    const auto result = table1::learn_unless_stopped(task, truth, calibration::options_with_codes(task), stop);
    if (!result) return std::nullopt;
    CalibrationScore score = calibration::measure(truth, result->model);
    score.seconds = result->seconds;
    return score;
}

CalibrationSummary run_calibration(const CalibrationOptions& options, const CalibrationHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<Table1Cell> cells = select_table1_cells(options.cells);
    const std::vector<CalibrationTask> tasks =
        plan_trials(options, select_calibration_rows(options.rows), cells, table1::trial_seed);
    make_folder(options.out_dir);

    CalibrationSummary summary;
    summary.trials_csv = options.out_dir / "trials.csv";
    TrialLog<calibration::Record> log(
        summary.trials_csv, calibration::header(), "calibration trials",
        [&](const TrialLine& line) { return calibration::parse_record(line, options.seed); });
    run_missing(tasks, options, hooks, log, summary, calibration::to_line, [](const CalibrationScore& score) {
        return std::vector{score.nearest_percent, score.noise_ratio};
    });

    summary.entries = calibration::summarize(log.records());
    if (!summary.entries.empty()) {
        summary.table_csv = options.out_dir / "calibration.csv";
        summary.table_md = options.out_dir / "calibration.md";
        write_text_file(summary.table_csv, calibration::csv_report(summary.entries));
        write_text_file(summary.table_md, calibration::markdown_report(summary.entries, log.records(), options));
    }
    return summary;
}

}  // namespace sbdl
