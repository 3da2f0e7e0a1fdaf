// The run: its images, trials.csv, the planned trials that it does not have yet, then the page.
#include <algorithm>
#include <map>

#include "base/atomic_file.hpp"
#include "denoise/image_checks.hpp"
#include "experiments/denoising/denoising.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl {

namespace denoising {
namespace {

namespace fs = std::filesystem;

// --- the images

/// They are read again for each trial: all of them together might not fit into memory.
struct CheckedImages {
    std::vector<DenoisingCell> cells;  ///< without a sigma; small ones first
    std::map<std::string, fs::path> files;
    std::vector<std::string> ignored;
};

CheckedImages check_images(const DenoisingOptions& options, const std::vector<std::string>& methods) {
    CheckedImages checked;
    ImageFolder folder = find_images(options.images);
    checked.ignored = std::move(folder.ignored);
    for (const fs::path& file : folder.images) {
        if (open_pages(file)->stacked()) {
            checked.ignored.push_back(file.filename().string());
            continue;
        }
        const auto [name, image, pixels] = read_clean_image(file);
        try {
            for (const std::string& method : methods) check_image(image, denoiser_of(method, options));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.string(), error.what()));
        }
        checked.cells.push_back({name, image.width(), image.height(), image.planes.size(), pixels, 0});
        checked.files.emplace(name, file);
    }
    if (checked.cells.empty())
        throw InputError(
            fmt::format("{}: there is no image in this folder that is not a stack", options.images.string()));
    std::sort(checked.ignored.begin(), checked.ignored.end());
    std::stable_sort(checked.cells.begin(), checked.cells.end(), [](const DenoisingCell& a, const DenoisingCell& b) {
        return a.width * a.height * a.planes < b.width * b.height * b.planes;
    });
    return checked;
}

Image image_of(const DenoisingTask& task, const CheckedImages& images) {
    const fs::path& file = images.files.at(task.cell.image);
    CleanImage clean = read_clean_image(file);
    if (clean.pixels != task.cell.pixels)
        throw FileError(fmt::format("{}: the image has changed since the run began", file.string()));
    return std::move(clean.image);
}

// --- a trial as a line of trials.csv: the task, the numbers, the origin

constexpr std::size_t first_number = 9;

std::string header() {
    std::string text = "image,width,height,planes,pixels,sigma,method,trial,seed";
    for (const ScoreNumber& number : score_numbers) text += fmt::format(",{}", number.name);
    return text + ",program,options\n";
}

std::string to_line(const Record& record, const DenoisingOptions& options) {
    const auto& [task, score, program] = record;
    const DenoisingCell& cell = task.cell;
    std::string text = fmt::format("{},{},{},{},{},{},{},{},{}", cell.image, cell.width, cell.height, cell.planes,
                                   cell.pixels, cell.sigma, task.row, task.trial, task.seed);
    for (const ScoreNumber& number : score_numbers) text += fmt::format(",{}", score.*number.member);
    return text + fmt::format(",{},{}\n", program, fingerprint(task, options));
}

Record parse_record(const TrialLine& line, const DenoisingOptions& options, KnownPixels& pixels) {
    constexpr double most_side = 1e9;
    Record record;
    auto& [row, cell, trial, seed] = record.task;
    cell.image = line.text(0);
    cell.width = line.number<std::size_t>(1, 1, most_side);
    cell.height = line.number<std::size_t>(2, 1, most_side);
    cell.planes = line.number<std::size_t>(3, 1, 3);
    cell.pixels = line.text(4);
    cell.sigma = line.number<int>(5, 1, most_sigma);
    row = line.text(6);
    trial = line.number<int>(7, 0, most_trials - 1);
    seed = noise_seed(options.seed, cell.image, cell.sigma, trial);
    line.check_seed(8, seed);
    std::size_t column = first_number;
    for (const ScoreNumber& number : score_numbers)
        record.score.*number.member = line.number<double>(column++, number.least, number.most);
    record.program = line.text(column++);
    line.check_fingerprint(column, line.parse([&] { return fingerprint(record.task, options); }));
    check_pixels(line, cell.image, cell.pixels, pixels);
    return record;
}

std::vector<double> results_of(const DenoisingScore& score) {
    std::vector<double> results;
    for (const ScoreNumber& number : score_numbers) results.push_back(score.*number.member);
    return results;
}

// --- the plan

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

std::vector<DenoisingTask> plan(const DenoisingOptions& options, const std::vector<std::string>& methods,
                                const std::vector<DenoisingCell>& images) {
    std::vector<DenoisingCell> cells;
    for (DenoisingCell cell : images)
        for (const int sigma : sorted_sigmas(options.sigmas)) {
            cell.sigma = sigma;
            cells.push_back(cell);
        }
    return plan_trials(options, methods, cells, [](std::uint64_t seed, const DenoisingCell& cell, int trial) {
        return noise_seed(seed, cell.image, cell.sigma, trial);
    });
}

}  // namespace
}  // namespace denoising

DenoisingSummary run_denoising(const DenoisingOptions& options, const DenoisingHooks& hooks) {
    check_run(options.trials, options.threads, options.out_dir, options);
    sorted_sigmas(options.sigmas);  // what is wrong with them is said before images are read
    const std::vector<std::string> methods = denoising::methods_of(options);
    const denoising::CheckedImages images = denoising::check_images(options, methods);
    const std::vector<DenoisingTask> tasks = denoising::plan(options, methods, images.cells);
    make_folder(options.out_dir);

    DenoisingSummary summary;
    summary.ignored = images.ignored;
    summary.trials_csv = options.out_dir / "trials.csv";
    KnownPixels pixels;
    for (const DenoisingCell& cell : images.cells) pixels.emplace(cell.image, cell.pixels);
    TrialLog<denoising::Record> log(
        summary.trials_csv, denoising::header(), "denoising trials",
        [&](const TrialLine& line) { return denoising::parse_record(line, options, pixels); });

    auto one_at_a_time = static_cast<const TableOptions&>(options);
    one_at_a_time.threads = 1;  // the denoiser uses all of them
    const TrialHooks<DenoisingTask, DenoisingScore> trial_hooks{
        [&](const DenoisingTask& task, const StopCheck& stop) {
            return hooks.denoiser(task, denoising::image_of(task, images), options, stop);
        },
        hooks.stop, hooks.progress};
    run_missing(
        tasks, one_at_a_time, trial_hooks, log, summary,
        [&](const denoising::Record& record) { return denoising::to_line(record, options); }, denoising::results_of);

    summary.entries = denoising::summarize(log.records());
    summary.means = denoising::means_of(summary.entries);
    if (!summary.entries.empty()) {
        summary.table_md = options.out_dir / "denoising.md";
        write_text_file(summary.table_md, denoising::markdown_report(summary.entries, log.records(), options));
    }
    return summary;
}

}  // namespace sbdl
