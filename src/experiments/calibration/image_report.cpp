// From denoised images to rows of the page.
#include <cmath>
#include <map>
#include <tuple>

#include "experiments/calibration/images.hpp"

namespace sbdl::calibration {
namespace {

ImageCalibrationEntry summarize_group(const std::vector<ImageRecord>& group) {
    ImageCalibrationEntry entry;
    entry.row = group.front().task.row;
    entry.samples = group.front().task.cell.samples;
    entry.sigma = group.front().task.cell.sigma;
    entry.images = static_cast<int>(group.size());
    entry.noise_ratio = mean_and_std(numbers_of(group, &ImageCalibrationScore::noise_ratio));
    entry.seconds = mean_and_std(numbers_of(group, &ImageCalibrationScore::seconds)).mean;
    std::vector<Coverage> parts;
    double errors = 0.0, variances = 0.0;
    for (const auto& [task, score, program] : group) {
        parts.push_back(score.pixels);
        errors += score.pixels.values * score.error_rms * score.error_rms;
        variances += score.pixels.values * score.std_rms * score.std_rms;
    }
    entry.pixels = together(parts);
    entry.std_over_error = std::sqrt(variances / errors);
    return entry;
}

/// "painted-1 (128 x 128), painted-2 (128 x 128)"
std::string names_and_sizes(const std::vector<ImageRecord>& records) {
    std::map<std::string, std::string> sizes;
    for (const ImageRecord& record : records)
        sizes.emplace(record.task.cell.image, fmt::format("{} x {}", record.task.cell.width, record.task.cell.height));
    std::string text;
    for (const auto& [name, size] : sizes) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, size);
    return text;
}

}  // namespace

std::vector<ImageCalibrationEntry> summarize_images(const std::vector<ImageRecord>& records) {
    // The name makes the order within a group, and so the last digits of its sums, that of the images.
    std::map<std::tuple<std::size_t, bool, int>, std::map<std::string, ImageRecord>> groups;
    for (const ImageRecord& record : records) {
        const auto& [row, cell, trial, seed] = record.task;
        groups[{table1::index_of_row(row), cell.samples == Samples::u8, cell.sigma}].emplace(cell.image, record);
    }
    std::vector<ImageCalibrationEntry> entries;
    for (const auto& [place, by_name] : groups) {
        std::vector<ImageRecord> group;
        for (const auto& [name, record] : by_name) group.push_back(record);
        entries.push_back(summarize_group(group));
    }
    return entries;
}

void write_images(std::string& out, const std::vector<ImageRecord>& records) {
    const std::vector<ImageCalibrationEntry> entries = summarize_images(records);
    const auto near = std::count_if(entries.begin(), entries.end(),
                                    [](const ImageCalibrationEntry& entry) { return near_all_levels(entry.pixels); });
    append_format(out,
                  "## Image pixels\n\nThe percentage of clean pixels inside the {} intervals of `sbdl denoise --std`, "
                  "estimate ± z standard deviations, the noise inferred. float32: the noisy image as it is; uint8: "
                  "noisy image and estimate rounded and clipped to 0 ... 255. *noise*: inferred over true standard "
                  "deviation (mean ± standard deviation over the images). *std over error*: root mean square of the "
                  "standard deviations over that of the errors, 1 where they are right on average. `images.csv` has "
                  "a line per image.\n\nImages: {}.\n\n"
                  "| method | samples | sigma | images | noise | std over error | s per image | pixels |\n"
                  "|:--|:--|--:|--:|--:|--:|--:|--:|\n",
                  levels_text(), names_and_sizes(records));
    for (const ImageCalibrationEntry& e : entries)
        append_format(out, "| {} | {} | {} | {} | {} | {:.2f} | {:.1f} | {} |\n", e.row, to_string(e.samples), e.sigma,
                      e.images, with_spread(e.noise_ratio, 3), e.std_over_error, e.seconds, percents_text(e.pixels));
    append_format(out, "\n**{} of {} rows are within {:.0f} points of all levels.**\n\n", near, entries.size(),
                  tolerance_points);
}

}  // namespace sbdl::calibration
