// The run: its images, trials.csv, the planned trials that it does not have yet, then the page.
#include <algorithm>

#include "base/atomic_file.hpp"
#include "experiments/inpainting/inpainting.hpp"

namespace sbdl {

namespace inpainting {
namespace {

std::vector<std::string> rows_of(const InpaintingOptions& options) {
    if (options.rows.empty()) return inpainting_rows();
    for (const std::string& row : options.rows) {
        if (std::count(inpainting_rows().begin(), inpainting_rows().end(), row) == 0)
            throw InputError(
                fmt::format("'{}' is not a row of inpainting; there are: {}", row, fmt::join(inpainting_rows(), ", ")));
        if (std::count(options.rows.begin(), options.rows.end(), row) > 1)
            throw InputError(fmt::format("the row {} is named twice", row));
    }
    return options.rows;
}

}  // namespace
}  // namespace inpainting

InpaintingSummary run_inpainting(const InpaintingOptions& options, const InpaintingHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<int> percents = inpainting::sorted_percents(options.observed);
    const std::vector<std::string> rows = inpainting::rows_of(options);
    const TrialImages images = find_trial_images(options.images);
    const ImageTrialLines<InpaintingCell, InpaintingScore> lines{.level_name = "percent",
                                                                 .level = &InpaintingCell::percent,
                                                                 .most_level = 99,
                                                                 .row_name = "row",
                                                                 .numbers = inpainting::score_numbers,
                                                                 .fingerprint = inpainting::fingerprint};
    InpaintingSummary summary;
    const std::vector<inpainting::Record> records = run_image_trials(
        options, rows, images, percents, lines, hooks,
        [&](const InpaintingTask& task, const Image& complete, const StopCheck& stop) {
            return hooks.inpainter(task, complete, options, stop);
        },
        summary, "inpainting trials");
    summary.entries = inpainting::summarize(records);
    if (!summary.entries.empty()) {
        summary.table_md = options.out_dir / "inpainting.md";
        summary.figure_svg = options.out_dir / "inpainting.svg";
        write_text_file(summary.figure_svg, inpainting::svg_figure(summary.entries));
        write_text_file(summary.table_md, inpainting::markdown_report(summary.entries, records, options));
    }
    return summary;
}

}  // namespace sbdl
