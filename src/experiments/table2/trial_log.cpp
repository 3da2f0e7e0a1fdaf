#include "experiments/table2/trial_log.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "experiments/run_folder.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table2 {

namespace {

constexpr const char* header =
    "image,width,height,pixels,sigma,stride,row,trial,seed,psnr_noisy,psnr,ssim,noise_found,seconds,program,"
    "options\n";

std::tuple<std::string, std::string, int> key_of(const Table2Task& task) {
    return {to_string(task.cell), task.row, task.trial};
}

std::string name_of(const Table2Task& task) {
    return fmt::format("{} {} trial {}", task.row, to_string(task.cell), task.trial);
}

std::string to_line(const Record& record, const Table2Options& options) {
    const auto& [task, width, height, pixels, score, program] = record;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{}\n", task.cell.image, width, height, pixels,
                       task.cell.sigma, task.cell.stride, task.row, task.trial, task.seed, score.psnr_noisy, score.psnr,
                       score.ssim, score.noise_found, score.seconds, program,
                       fingerprint(task, width, height, options));
}

Record parse_record(const TrialLine& line, const Table2Options& options) {
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
    const Row& row = line.parse([&]() -> std::reference_wrapper<const Row> { return row_named(line.text(6)); });
    task.row = row.name;
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
    return record;
}

}  // namespace

TrialLog::TrialLog(const std::filesystem::path& path, const Table2Options& options,
                   const std::vector<TrueImage>& images)
    : options_(options),
      pixels_([&] {
          std::map<std::string, std::string> pixels;
          for (const TrueImage& image : images) pixels.emplace(image.name, image.pixels);
          return pixels;
      }()),
      file_(path, header, "Table II trials", [this](const TrialLine& line) { read(line); }) {}

void TrialLog::read(const TrialLine& line) {
    const Record record = parse_record(line, options_);
    // An image that is not in the run's folder must at least be the same in all lines.
    const std::string& expected = pixels_.emplace(record.task.cell.image, record.pixels).first->second;
    if (record.pixels != expected)
        line.fail(
            fmt::format("the trial was made with another image '{}' (fingerprint {}, this run has {}); use "
                        "another folder",
                        record.task.cell.image, record.pixels, expected));
    if (!keys_.insert(key_of(record.task)).second) line.fail(fmt::format("{} occurs twice", name_of(record.task)));
    records_.push_back(record);
}

bool TrialLog::has(const Table2Task& task) const {
    return keys_.contains(key_of(task));
}

void TrialLog::append(const Record& record) {
    const Table2Score& score = record.score;
    for (const double number : {score.psnr_noisy, score.psnr, score.ssim, score.noise_found})
        if (!std::isfinite(number)) throw NumericError(fmt::format("{}: a result is not finite", name_of(record.task)));
    file_.append(to_line(record, options_));
    keys_.insert(key_of(record.task));
    records_.push_back(record);
}

}  // namespace sbdl::table2
