// What the experiments on any folder of images share: its images, trials as lines of trials.csv, and the run.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/noisy_images.hpp"
#include "experiments/table_run.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

// --- the images

struct ImageFacts {
    std::string image;  ///< its name
    std::size_t width = 0, height = 0, planes = 0;
    std::string pixels;  ///< fingerprint of the clean image
    bool operator==(const ImageFacts&) const = default;
};

/// They are read again for each trial: all of them together might not fit into memory.
struct TrialImages {
    std::vector<ImageFacts> images;  ///< small ones first
    std::map<std::string, std::filesystem::path> files;
    std::vector<std::string> ignored;  ///< what else is in the folder; stacks are not images

    /// Throws FileError when the file is not what it was when the run began.
    [[nodiscard]] Image read(const ImageFacts& facts) const;
    [[nodiscard]] KnownPixels pixels() const;
};

/// `check` may throw InputError for an image, to which the name of the file is added. Throws like find_images() and
/// read_clean_image(), and InputError when there is no image.
TrialImages find_trial_images(const std::filesystem::path& folder, const std::function<void(const Image&)>& check = {});

/// Every image with each of the levels. A Cell is an ImageFacts and a level.
template <class Cell>
std::vector<Cell> cells_of(const std::vector<ImageFacts>& images, const std::vector<int>& levels) {
    std::vector<Cell> cells;
    for (const ImageFacts& facts : images)
        for (const int level : levels) cells.push_back({facts, level});
    return cells;
}

// --- trials as lines: the task, the numbers, the origin

/// A number of a score by the name that it has in files, and what a file may say of it.
template <class Score>
struct ScoreNumber {
    std::string_view name;
    double Score::*member;
    double least, most;
    bool optional = false;  ///< NaN, for which files have an empty field, is allowed
};
inline constexpr double any_number = std::numeric_limits<double>::max();

template <class Cell, class Score>
struct ImageTrialLines {
    using Record = TrialRecord<TrialTask<Cell>, Score>;

    std::string_view level_name;
    int Cell::*level;
    int most_level;
    std::string_view row_name;
    std::span<const ScoreNumber<Score>> numbers;
    std::function<std::string(const TrialTask<Cell>&)> fingerprint;  ///< may throw InputError for an unknown row

    [[nodiscard]] std::string header() const {
        std::string text = fmt::format("image,width,height,planes,pixels,{},{},trial,seed", level_name, row_name);
        for (const ScoreNumber<Score>& number : numbers) text += fmt::format(",{}", number.name);
        return text + ",program,options\n";
    }

    [[nodiscard]] std::string to_line(const Record& record) const {
        const auto& [task, score, program] = record;
        const Cell& cell = task.cell;
        std::string text = fmt::format("{},{},{},{},{},{},{},{},{}", cell.image, cell.width, cell.height, cell.planes,
                                       cell.pixels, cell.*level, task.row, task.trial, task.seed);
        for (const ScoreNumber<Score>& number : numbers)
            text += is_absent(number, score) ? "," : fmt::format(",{}", score.*number.member);
        return text + fmt::format(",{},{}\n", program, fingerprint(task));
    }

    /// `seed` is that of the run.
    [[nodiscard]] Record parse(const TrialLine& line, std::uint64_t seed, KnownPixels& pixels) const {
        constexpr double most_side = 1e9;
        Record record;
        TrialTask<Cell>& task = record.task;
        Cell& cell = task.cell;
        cell.image = line.text(0);
        cell.width = line.number<std::size_t>(1, 1, most_side);
        cell.height = line.number<std::size_t>(2, 1, most_side);
        cell.planes = line.number<std::size_t>(3, 1, 3);
        cell.pixels = line.text(4);
        cell.*level = line.number<int>(5, 1, most_level);
        task.row = line.text(6);
        task.trial = line.number<int>(7, 0, most_trials - 1);
        task.seed = noise_seed(seed, cell.image, cell.*level, task.trial);
        line.check_seed(8, task.seed);
        std::size_t column = 9;
        for (const ScoreNumber<Score>& number : numbers) {
            const bool absent = number.optional && line.text(column).empty();
            record.score.*number.member = absent ? std::numeric_limits<double>::quiet_NaN()
                                                 : line.number<double>(column, number.least, number.most);
            ++column;
        }
        record.program = line.text(column++);
        line.check_fingerprint(column, line.parse([&] { return fingerprint(task); }));
        check_pixels(line, cell.image, cell.pixels, pixels);
        return record;
    }

    /// Those that have to be finite.
    [[nodiscard]] std::vector<double> results_of(const Score& score) const {
        std::vector<double> results;
        for (const ScoreNumber<Score>& number : numbers)
            if (!is_absent(number, score)) results.push_back(score.*number.member);
        return results;
    }

private:
    static bool is_absent(const ScoreNumber<Score>& number, const Score& score) {
        return number.optional && std::isnan(score.*number.member);
    }
};

// --- the run

/// Runs the trials that trials.csv in the output folder does not have yet, one after another, because each uses all
/// threads; trial_of(task, image) makes one. Returns all records and fills in the summary.
template <class Cell, class Score, class Hooks, class TrialOf, class Summary>
auto run_image_trials(const TableOptions& options, const std::vector<std::string>& rows, const TrialImages& images,
                      const std::vector<int>& levels, const ImageTrialLines<Cell, Score>& lines, const Hooks& hooks,
                      const TrialOf& trial_of, Summary& summary, std::string_view what) {
    using Task = TrialTask<Cell>;
    using Record = TrialRecord<Task, Score>;
    const std::vector<Task> tasks = plan_trials(options, rows, cells_of<Cell>(images.images, levels),
                                                [&](std::uint64_t seed, const Cell& cell, int trial) {
                                                    return noise_seed(seed, cell.image, cell.*lines.level, trial);
                                                });
    make_folder(options.out_dir);
    summary.ignored = images.ignored;
    summary.trials_csv = options.out_dir / "trials.csv";
    KnownPixels pixels = images.pixels();
    TrialLog<Record> log(summary.trials_csv, lines.header(), what,
                         [&](const TrialLine& line) { return lines.parse(line, options.seed, pixels); });
    TableOptions one_at_a_time = options;
    one_at_a_time.threads = 1;
    const TrialHooks<Task, Score> trial_hooks{
        [&](const Task& task, const StopCheck& stop) { return trial_of(task, images.read(task.cell), stop); },
        hooks.stop, hooks.progress};
    run_missing(
        tasks, one_at_a_time, trial_hooks, log, summary, [&](const Record& record) { return lines.to_line(record); },
        [&](const Score& score) { return lines.results_of(score); });
    return log.records();
}

}  // namespace sbdl
