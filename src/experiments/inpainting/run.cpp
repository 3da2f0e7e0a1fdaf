// The run: its images, trials.csv, the planned trials that it does not have yet, then the page.
#include <algorithm>
#include <map>

#include "base/atomic_file.hpp"
#include "experiments/inpainting/inpainting.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl {

namespace inpainting {
namespace {

namespace fs = std::filesystem;

/// They are read again for each trial: all of them together might not fit into memory.
struct CompleteImages {
    std::vector<InpaintingCell> cells;  ///< without a share; small ones first
    std::map<std::string, fs::path> files;
    std::vector<std::string> ignored;
};

CompleteImages find_complete(const fs::path& images) {
    CompleteImages found;
    ImageFolder folder = find_images(images);
    found.ignored = std::move(folder.ignored);
    for (const fs::path& file : folder.images) {
        if (open_pages(file)->stacked()) {
            found.ignored.push_back(file.filename().string());
            continue;
        }
        const auto [name, image, pixels] = read_clean_image(file);
        found.cells.push_back({name, image.width(), image.height(), image.planes.size(), pixels, 0});
        found.files.emplace(name, file);
    }
    if (found.cells.empty())
        throw InputError(fmt::format("{}: there is no image in this folder that is not a stack", images.string()));
    std::sort(found.ignored.begin(), found.ignored.end());
    std::stable_sort(found.cells.begin(), found.cells.end(), [](const InpaintingCell& a, const InpaintingCell& b) {
        return a.width * a.height * a.planes < b.width * b.height * b.planes;
    });
    return found;
}

Image complete_image(const InpaintingTask& task, const CompleteImages& images) {
    const fs::path& file = images.files.at(task.cell.image);
    CleanImage complete = read_clean_image(file);
    if (complete.pixels != task.cell.pixels)
        throw FileError(fmt::format("{}: the image has changed since the run began", file.string()));
    return std::move(complete.image);
}

// --- a trial as a line of trials.csv: the task, the numbers, the origin

std::string trials_header() {
    std::string text = "image,width,height,planes,pixels,percent,row,trial,seed";
    for (const ScoreNumber& number : score_numbers) text += fmt::format(",{}", number.name);
    return text + ",program,options\n";
}

std::string trial_line(const Record& record) {
    const auto& [task, score, program] = record;
    const InpaintingCell& cell = task.cell;
    std::string text = fmt::format("{},{},{},{},{},{},{},{},{}", cell.image, cell.width, cell.height, cell.planes,
                                   cell.pixels, cell.percent, task.row, task.trial, task.seed);
    for (const ScoreNumber& number : score_numbers) text += fmt::format(",{}", score.*number.member);
    return text + fmt::format(",{},{}\n", program, fingerprint(task));
}

Record parse_trial(const TrialLine& line, const InpaintingOptions& options, KnownPixels& pixels) {
    constexpr double most_side = 1e9;
    Record record;
    auto& [row, cell, trial, seed] = record.task;
    cell.image = line.text(0);
    cell.width = line.number<std::size_t>(1, 1, most_side);
    cell.height = line.number<std::size_t>(2, 1, most_side);
    cell.planes = line.number<std::size_t>(3, 1, 3);
    cell.pixels = line.text(4);
    cell.percent = line.number<int>(5, 1, 99);
    row = line.text(6);
    trial = line.number<int>(7, 0, most_trials - 1);
    seed = noise_seed(options.seed, cell.image, cell.percent, trial);
    line.check_seed(8, seed);
    std::size_t column = 9;
    for (const ScoreNumber& number : score_numbers)
        record.score.*number.member = line.number<double>(column++, number.least, number.most);
    record.program = line.text(column++);
    line.check_fingerprint(column, fingerprint(record.task));
    check_pixels(line, cell.image, cell.pixels, pixels);
    return record;
}

std::vector<double> score_results(const InpaintingScore& score) {
    std::vector<double> results;
    for (const ScoreNumber& number : score_numbers) results.push_back(score.*number.member);
    return results;
}

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
    const inpainting::CompleteImages images = inpainting::find_complete(options.images);
    std::vector<InpaintingCell> cells;
    for (InpaintingCell cell : images.cells)
        for (const int percent : percents) {
            cell.percent = percent;
            cells.push_back(cell);
        }
    const auto tasks = plan_trials(options, rows, cells, [](std::uint64_t seed, const InpaintingCell& cell, int trial) {
        return noise_seed(seed, cell.image, cell.percent, trial);
    });
    make_folder(options.out_dir);

    InpaintingSummary summary;
    summary.ignored = images.ignored;
    summary.trials_csv = options.out_dir / "trials.csv";
    KnownPixels pixels;
    for (const InpaintingCell& cell : images.cells) pixels.emplace(cell.image, cell.pixels);
    TrialLog<inpainting::Record> log(
        summary.trials_csv, inpainting::trials_header(), "inpainting trials",
        [&](const TrialLine& line) { return inpainting::parse_trial(line, options, pixels); });
    auto one_at_a_time = static_cast<const TableOptions&>(options);
    one_at_a_time.threads = 1;  // inpaint() uses all of them
    const TrialHooks<InpaintingTask, InpaintingScore> trial_hooks{
        [&](const InpaintingTask& task, const StopCheck& stop) {
            return hooks.inpainter(task, inpainting::complete_image(task, images), options, stop);
        },
        hooks.stop, hooks.progress};
    run_missing(tasks, one_at_a_time, trial_hooks, log, summary, inpainting::trial_line, inpainting::score_results);

    summary.entries = inpainting::summarize(log.records());
    if (!summary.entries.empty()) {
        summary.table_md = options.out_dir / "inpainting.md";
        write_text_file(summary.table_md, inpainting::markdown_report(summary.entries, log.records(), options));
    }
    return summary;
}

}  // namespace sbdl
