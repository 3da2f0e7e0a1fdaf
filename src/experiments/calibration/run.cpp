// One trial, and the run: trials.csv and images.csv, the planned trials that they do not have yet, then the reports.
#include <algorithm>

#include "base/atomic_file.hpp"
#include "experiments/calibration/calibration.hpp"

namespace sbdl {

namespace calibration {
namespace {

std::vector<table1::RowFacts> rows_with_posterior() {
    std::vector<table1::RowFacts> rows = table1::all_rows();
    std::erase_if(
        rows, [](const table1::RowFacts& row) { return row.as_printed || !method_named(row.method).can.posterior; });
    return rows;
}

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

// --- the two parts of the run

/// Runs a part, and adds its counts to the summary. Its progress is counted together with that of the other part, which
/// has `before` trials before it or `after` trials after it.
template <class Task, class Score, class ToLine, class ResultsOf>
void run_part(const std::vector<Task>& tasks, std::size_t before, std::size_t after, const TableOptions& options,
              TrialHooks<Task, Score> hooks, TrialLog<TrialRecord<Task, Score>>& log, TableSummary& summary,
              const ToLine& to_line, const ResultsOf& results_of) {
    if (hooks.progress)
        hooks.progress = [show = hooks.progress, before, after](TrialProgress<Task, Score> progress) {
            progress.done += static_cast<int>(before);
            progress.planned += static_cast<int>(before + after);
            show(progress);
        };
    if (summary.trials_left > 0) hooks.stop = [] { return true; };  // the part before was stopped
    TableSummary part;
    run_missing(tasks, options, hooks, log, part, to_line, results_of);
    summary.trials_run += part.trials_run;
    summary.trials_reused += part.trials_reused;
    summary.trials_left += part.trials_left;
}

void run_cells(const std::vector<CalibrationTask>& tasks, std::size_t images, const CalibrationOptions& options,
               const CalibrationHooks& hooks, TrialLog<Record>& log, CalibrationSummary& summary) {
    const TrialHooks<CalibrationTask, CalibrationScore> part{hooks.learner, hooks.stop, hooks.progress};
    run_part(tasks, 0, images, options, part, log, summary, to_line, [](const CalibrationScore& score) {
        return std::vector{score.nearest_percent, score.noise_ratio};
    });
}

void run_images(const std::vector<CleanImage>& images, const std::vector<ImageCalibrationTask>& tasks,
                std::size_t cells, const CalibrationOptions& options, const CalibrationHooks& hooks,
                TrialLog<ImageRecord>& log, CalibrationSummary& summary) {
    const auto denoise_one = [&](const ImageCalibrationTask& task, const StopCheck& stop) {
        const auto clean = std::find_if(images.begin(), images.end(),
                                        [&](const CleanImage& image) { return image.name == task.cell.image; });
        return hooks.denoiser(task, clean->image, stop);
    };
    const TrialHooks<ImageCalibrationTask, ImageCalibrationScore> part{denoise_one, hooks.stop, hooks.image_progress};
    run_part(tasks, cells, 0, options, part, log, summary, image_line, [](const ImageCalibrationScore& score) {
        return std::vector{score.noise_ratio, score.error_rms, score.std_rms};
    });
}

}  // namespace

std::string coverage_columns() {
    std::string text;
    for (const auto& [name, member] : coverages<CalibrationScore>) text += coverage_columns(name);
    return text;
}

std::string fingerprint(std::string_view row) {
    return as_fingerprint(fnv1a(fmt::format("calibration {}", table1::fingerprint(row))));
}

}  // namespace calibration

std::vector<std::string> calibration_rows() {
    return names_of_rows(calibration::rows_with_posterior());
}

std::vector<std::string> select_calibration_rows(const std::vector<std::string>& names) {
    return select_rows(calibration::rows_with_posterior(), "calibration",
                       names.empty() ? std::vector<std::string>{"gibbs", "vb"} : names);
}

std::optional<CalibrationScore> learn_calibration_trial(const CalibrationTask& task, const StopCheck& stop) {
    const SynthSet truth = table1::make_set(task);
    calibration::ReconstructionDraws draws;
    const std::array<Observer*, 1> observers{&draws};
    const auto result =
        table1::learn_unless_stopped(task, truth, calibration::options_with_codes(task), stop, observers);
    if (!result) return std::nullopt;
    CalibrationScore score = calibration::measure(truth, result->model, draws);
    score.seconds = result->seconds;
    return score;
}

CalibrationSummary run_calibration(const CalibrationOptions& options, const CalibrationHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    if (!options.with_cells && !options.with_images)
        throw InputError("calibration: neither cells nor images are to run");
    const std::vector<std::string> rows = select_calibration_rows(options.rows);
    std::vector<CalibrationTask> tasks;
    if (options.with_cells) tasks = plan_trials(options, rows, select_table1_cells(options.cells), table1::trial_seed);
    std::vector<CleanImage> images;
    if (options.with_images) images = calibration::clean_images(options.images);
    const std::vector<ImageCalibrationTask> image_tasks =
        calibration::plan_images(images, options.images, rows, options.seed);
    make_folder(options.out_dir);

    CalibrationSummary summary;
    summary.trials_csv = options.out_dir / "trials.csv";
    const std::filesystem::path images_csv = options.out_dir / "images.csv";
    // The part that does not run is read for the page.
    std::optional<TrialLog<calibration::Record>> log;
    if (options.with_cells || std::filesystem::exists(summary.trials_csv))
        log.emplace(summary.trials_csv, calibration::header(), "calibration trials",
                    [&](const TrialLine& line) { return calibration::parse_record(line, options.seed); });
    KnownPixels pixels;
    for (const CleanImage& image : images) pixels.emplace(image.name, image.pixels);
    std::optional<TrialLog<calibration::ImageRecord>> image_log;
    if (options.with_images || std::filesystem::exists(images_csv))
        image_log.emplace(images_csv, calibration::image_header(), "calibration images",
                          [&](const TrialLine& line) { return calibration::parse_image(line, options.seed, pixels); });

    if (options.with_cells) calibration::run_cells(tasks, image_tasks.size(), options, hooks, *log, summary);
    if (options.with_images)
        calibration::run_images(images, image_tasks, tasks.size(), options, hooks, *image_log, summary);

    const std::vector<calibration::Record> records = log ? log->records() : std::vector<calibration::Record>();
    const std::vector<calibration::ImageRecord> image_records =
        image_log ? image_log->records() : std::vector<calibration::ImageRecord>();
    summary.entries = calibration::summarize(records);
    summary.image_entries = calibration::summarize_images(image_records);
    if (!image_records.empty()) summary.images_csv = images_csv;
    if (!records.empty()) {
        summary.table_csv = options.out_dir / "calibration.csv";
        write_text_file(summary.table_csv, calibration::csv_report(summary.entries));
    }
    if (!records.empty() || !image_records.empty()) {
        summary.table_md = options.out_dir / "calibration.md";
        write_text_file(summary.table_md,
                        calibration::markdown_report(summary.entries, records, image_records, options));
    }
    return summary;
}

}  // namespace sbdl
