// The run: its images, trials.csv, the planned trials that it does not have yet, then the page.
#include <algorithm>

#include "base/atomic_file.hpp"
#include "denoise/image_checks.hpp"
#include "experiments/denoising/denoising.hpp"

namespace sbdl {

namespace denoising {
namespace {

std::vector<std::string> methods_of(const DenoisingOptions& options) {
    std::vector<std::string> methods = options.rows;
    if (methods.empty()) methods.emplace_back("auto");
    for (const std::string& method : methods) {
        denoiser_of(method, options);  // throws for an unknown one
        if (std::count(methods.begin(), methods.end(), method) > 1)
            throw InputError(fmt::format("the method {} is named twice", method));
    }
    return methods;
}

}  // namespace
}  // namespace denoising

DenoisingSummary run_denoising(const DenoisingOptions& options, const DenoisingHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    const std::vector<int> sigmas = sorted_sigmas(options.sigmas);  // errors in them are found before images are read
    const std::vector<std::string> methods = denoising::methods_of(options);
    const TrialImages images = find_trial_images(options.images, [&](const Image& image) {
        for (const std::string& method : methods) check_image(image, denoising::denoiser_of(method, options));
    });
    const ImageTrialLines<DenoisingCell, DenoisingScore> lines{
        .level_name = "sigma",
        .level = &DenoisingCell::sigma,
        .most_level = most_sigma,
        .row_name = "method",
        .numbers = denoising::score_numbers,
        .fingerprint = [&](const DenoisingTask& task) { return denoising::fingerprint(task, options); }};
    DenoisingSummary summary;
    const std::vector<denoising::Record> records = run_image_trials(
        options, methods, images, sigmas, lines, hooks,
        [&](const DenoisingTask& task, const Image& clean, const StopCheck& stop) {
            return hooks.denoiser(task, clean, options, stop);
        },
        summary, "denoising trials");
    summary.entries = denoising::summarize(records);
    summary.means = denoising::means_of(summary.entries);
    if (!summary.entries.empty()) {
        summary.table_md = options.out_dir / "denoising.md";
        write_text_file(summary.table_md, denoising::markdown_report(summary.entries, records, options));
    }
    return summary;
}

}  // namespace sbdl
