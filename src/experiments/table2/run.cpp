// The run: the planned trials that the folder does not have yet, in an order in which all cells advance together; then
// the reports.
#include "experiments/table2/table2.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "experiments/run_folder.hpp"
#include "experiments/table2/figures.hpp"
#include "experiments/table2/images.hpp"
#include "experiments/table2/plan.hpp"
#include "experiments/table2/reports.hpp"
#include "experiments/table2/trial_log.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

using table2::Figures;
using table2::TrialLog;
using table2::TrueImage;

void check(const Table2Options& options) {
    check_run(options.trials, options.threads, options.out_dir, options);
    constexpr int most_atoms = 65536;
    if (options.atoms < 1 || options.atoms > most_atoms)
        throw InputError(fmt::format("atoms is {}, must be 1 to {}", options.atoms, most_atoms));
    // The next run would take the figures for images.
    std::error_code ignored;
    if (std::filesystem::equivalent(options.images, options.out_dir, ignored))
        throw InputError(
            fmt::format("{}: this is both the folder of the images and that of the results", options.out_dir.string()));
}

const TrueImage& image_named(const std::vector<TrueImage>& images, const std::string& name) {
    return *std::find_if(images.begin(), images.end(), [&](const TrueImage& p) { return p.name == name; });
}

std::optional<Table2Trial> denoise_trial(const Table2Task& task, const Image& truth, const Table2Options& options,
                                         const Table2Hooks& hooks) {
    if (hooks.stop && hooks.stop()) return std::nullopt;
    const auto where = [&] {
        return fmt::format("{} {} trial {} (seed {})", task.row, to_string(task.cell), task.trial, task.seed);
    };
    try {
        return hooks.denoiser(task, truth, options, hooks.stop);
    } catch (const NumericError& error) {
        throw NumericError(fmt::format("{}: {}", where(), error.what()));
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", where(), error.what()));
    }
}

/// Returns how many trials were run.
int run_tasks(const std::vector<Table2Task>& tasks, const std::vector<TrueImage>& images, int reused,
              const Table2Options& options, const Table2Hooks& hooks, TrialLog& log, Figures& figures) {
    const std::string program = options.program.empty() ? version() : options.program;
    int run = 0;
    for (const Table2Task& task : tasks) {
        const bool finished = log.has(task);
        if (finished && !figures.want(task)) continue;
        const auto& [name, truth, pixels] = image_named(images, task.cell.image);
        std::optional<Table2Trial> trial = denoise_trial(task, truth, options, hooks);
        if (!trial) break;
        const Table2Score score = trial->score;
        if (!finished) {
            log.append({task, truth.width(), truth.height(), pixels, score, program});
            ++run;
        }
        if (figures.want(task)) figures.take(task, truth, std::move(*trial));
        if (!finished && hooks.progress) hooks.progress({reused + run, static_cast<int>(tasks.size()), task, score});
    }
    return run;
}

}  // namespace

Table2Summary run_table2(const Table2Options& options, const Table2Hooks& hooks) {
    check(options);
    const std::vector<TrueImage> images = table2::read_images(options.images);
    const std::vector<Table2Cell> cells = table2::select_cells(images, options);
    const std::vector<Table2Task> tasks = table2::plan(cells, options);
    Figures figures(cells, options);
    make_folder(options.out_dir);

    Table2Summary summary;
    summary.trials_csv = options.out_dir / "trials.csv";
    TrialLog log(summary.trials_csv, options, images);
    figures.open_folder();
    summary.trials_reused = static_cast<int>(
        std::count_if(tasks.begin(), tasks.end(), [&](const Table2Task& task) { return log.has(task); }));
    summary.trials_run = run_tasks(tasks, images, summary.trials_reused, options, hooks, log, figures);
    summary.trials_left = static_cast<int>(tasks.size()) - summary.trials_reused - summary.trials_run;

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
