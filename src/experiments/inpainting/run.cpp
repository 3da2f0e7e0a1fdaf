// The run: its images, trials.csv, the planned trials that it does not have yet, then the page.
#include <algorithm>

#include "base/atomic_file.hpp"
#include "experiments/inpainting/inpainting.hpp"

namespace sbdl {

std::vector<std::string> select_inpainting_rows(const std::vector<std::string>& names) {
    if (names.empty()) return {"inpaint", "smooth"};
    for (const std::string& row : names) {
        if (std::count(inpainting_rows().begin(), inpainting_rows().end(), row) == 0)
            throw InputError(
                fmt::format("'{}' is not a row of inpainting; there are: {}", row, fmt::join(inpainting_rows(), ", ")));
        if (std::count(names.begin(), names.end(), row) > 1)
            throw InputError(fmt::format("the row {} is named twice", row));
    }
    return names;
}

InpaintingSummary run_inpainting(const InpaintingOptions& options, const InpaintingHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<int> percents = inpainting::sorted_percents(options.observed);
    const std::vector<std::string> rows = select_inpainting_rows(options.rows);
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
