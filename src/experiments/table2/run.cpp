// The run: its cells, trials.csv, the planned trials that it does not have yet, then the reports.
#include <algorithm>
#include <system_error>

#include "base/atomic_file.hpp"
#include "experiments/table2/figures.hpp"
#include "options/option_name.hpp"

namespace sbdl {

namespace table2 {
namespace {

constexpr const char* header =
    "image,width,height,pixels,sigma,stride,row,trial,seed,psnr_noisy,psnr,ssim,noise_found,seconds,program,"
    "options\n";

std::string to_line(const Record& record, const Table2Options& options) {
    const auto& [task, width, height, pixels, score, program] = record;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{}\n", task.cell.image, width, height, pixels,
                       task.cell.sigma, task.cell.stride, task.row, task.trial, task.seed, score.psnr_noisy, score.psnr,
                       score.ssim, score.noise_found, score.seconds, program,
                       fingerprint(task, width, height, options));
}

Record parse_record(const TrialLine& line, const Table2Options& options, KnownPixels& pixels) {
    constexpr double huge = 1e300;
    constexpr double most_side = 1e9;
    Record record;
    Table2Task& task = record.task;
    task.cell.image = line.text(0);
    record.width = line.number<std::size_t>(1, 1, most_side);
    record.height = line.number<std::size_t>(2, 1, most_side);
    record.pixels = line.text(3);
    task.cell.sigma = line.number<int>(4, 1, most_sigma);
    task.cell.stride = line.number<int>(5, strides.front(), strides.back());
    if (std::find(strides.begin(), strides.end(), task.cell.stride) == strides.end())
        line.fail(fmt::format("stride {} is not in the table", task.cell.stride));
    task.row = line.parse([&] { return select_table2_rows({line.text(6)}); }).front();
    task.trial = line.number<int>(7, 0, most_trials - 1);
    task.seed = trial_seed(options.seed, task.cell, task.trial);
    record.score.psnr_noisy = line.number<double>(9, -huge, huge);
    record.score.psnr = line.number<double>(10, -huge, huge);
    record.score.ssim = line.number<double>(11, -1, 1);
    record.score.noise_found = line.number<double>(12, 0, huge);
    record.score.seconds = line.number<double>(13, 0, huge);
    record.program = line.text(14);
    line.check_seed(8, task.seed);
    line.check_fingerprint(15, fingerprint(task, record.width, record.height, options));
    check_pixels(line, task.cell.image, record.pixels, pixels);
    return record;
}

void check(const Table2Options& options) {
    check_run(options.trials, options.threads, options.out_dir, options);
    constexpr int most_atoms = 65536;
    if (options.atoms < 1 || options.atoms > most_atoms)
        throw InputError(fmt::format("{} is {}, must be 1 to {}", option_name("atoms"), options.atoms, most_atoms));
    // The next run would take the figures for images.
    std::error_code ignored;
    if (std::filesystem::equivalent(options.images, options.out_dir, ignored))
        throw InputError(
            fmt::format("{}: this is both the folder of the images and that of the results", options.out_dir.string()));
}

std::vector<Table2Cell> cells_of(const std::vector<CleanImage>& images, const Table2Options& options) {
    std::vector<Table2Cell> cells;
    for (const CleanImage& image : images)
        for (const int sigma : sorted_sigmas(options.sigmas))
            for (const int stride : strides) cells.push_back({image.name, sigma, stride});
    return select_cells(cells, options.cells);
}

}  // namespace
}  // namespace table2

Table2Summary run_table2(const Table2Options& options, const Table2Hooks& hooks) {
    table2::check(options);
    const std::vector<std::string> rows = select_table2_rows(options.rows);
    const std::vector<CleanImage> images = read_grey_images(options.images);
    const std::vector<Table2Cell> cells = table2::cells_of(images, options);
    std::vector<Table2Task> tasks = plan_trials(options, rows, cells, table2::trial_seed);
    const auto planned = static_cast<int>(tasks.size());
    table2::Figures figures(cells, options);
    make_folder(options.out_dir);

    Table2Summary summary;
    summary.trials_csv = options.out_dir / "trials.csv";
    KnownPixels pixels;
    for (const CleanImage& image : images) pixels.emplace(image.name, image.pixels);
    TrialLog<table2::Record> log(summary.trials_csv, table2::header, "Table II trials",
                                 [&](const TrialLine& line) { return table2::parse_record(line, options, pixels); });
    figures.open_folder();
    const auto finished = [&](const Table2Task& task) { return log.has(task); };
    summary.trials_reused = static_cast<int>(std::count_if(tasks.begin(), tasks.end(), finished));
    std::erase_if(tasks, [&](const Table2Task& task) { return finished(task) && !figures.want(task); });

    const auto truth_of = [&](const Table2Task& task) -> const Image& {
        return std::find_if(images.begin(), images.end(), [&](const auto& p) { return p.name == task.cell.image; })
            ->image;
    };
    run_trials(
        tasks, 1, hooks.stop,
        [&](const Table2Task& task) { return hooks.denoiser(task, truth_of(task), options, hooks.stop); },
        [&](const Table2Task& task, Table2Trial&& trial) {
            const Image& truth = truth_of(task);
            const Table2Score score = trial.score;
            const bool again = finished(task);
            if (!again) {
                const table2::Record record{task,           truth.width(),
                                            truth.height(), pixels.at(task.cell.image),
                                            score,          options.program_or_version()};
                log.append(record, table2::to_line(record, options),
                           {score.psnr_noisy, score.psnr, score.ssim, score.noise_found});
                ++summary.trials_run;
            }
            if (figures.want(task)) figures.take(task, truth, std::move(trial));
            if (!again && hooks.progress)
                hooks.progress({summary.trials_reused + summary.trials_run, planned, task, score});
        });
    summary.trials_left = planned - summary.trials_reused - summary.trials_run;

    if (figures.shown()) {
        summary.figure_images = figures.images_file();
        summary.figure_dictionaries = figures.dictionaries_file();
    }
    summary.entries = table2::summarize(log.records());
    if (!summary.entries.empty()) {
        summary.table_csv = options.out_dir / "table2.csv";
        summary.table_md = options.out_dir / "table2.md";
        write_text_file(summary.table_csv, table2::csv_report(summary.entries));
        write_text_file(summary.table_md,
                        table2::markdown_report(summary.entries, log.records(), options, figures.shown()));
    }
    return summary;
}

}  // namespace sbdl
