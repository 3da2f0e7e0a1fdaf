// From trials to means, and to a page with a table for each share and row.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "experiments/inpainting/inpainting.hpp"
#include "options/option_name.hpp"

namespace sbdl::inpainting {

namespace {

std::size_t place_of_row(const std::string& row) {
    const auto& rows = inpainting_rows();
    return static_cast<std::size_t>(std::find(rows.begin(), rows.end(), row) - rows.begin());
}

InpaintingScore mean_score(const std::vector<InpaintingScore>& scores) {
    InpaintingScore mean;
    for (const auto& number : score_numbers) {
        double sum = 0.0;
        for (const InpaintingScore& score : scores) sum += score.*number.member;
        mean.*number.member = sum / static_cast<double>(scores.size());
    }
    return mean;
}

std::string numbers_row(const InpaintingScore& mean, double psnr_se) {
    const std::string within =
        mean.within_2_std > 0.0 ? fmt::format("{:.1f} | {:.1f}", 100.0 * mean.within_1_std, 100.0 * mean.within_2_std)
                                : "- | -";
    return fmt::format("{} | {:.2f} | {:.4f} | {} | {:.1f} |", with_spread({mean.psnr, psnr_se}, 2), mean.psnr_missing,
                       mean.ssim, within, mean.seconds);
}

}  // namespace

std::vector<int> sorted_percents(const std::vector<double>& observed) {
    std::vector<int> percents;
    for (const double share : observed) {
        const double percent = 100.0 * share;
        if (!(percent > 0.5 && percent < 99.5) || std::abs(percent - std::round(percent)) > 1e-6)
            throw InputError(fmt::format("{} is {}, must be from 0.01 to 0.99 in steps of 0.01, such as 0.2",
                                         option_name("observed"), share));
        percents.push_back(static_cast<int>(std::lround(percent)));
    }
    if (percents.empty()) throw InputError("observed has no value");
    std::sort(percents.begin(), percents.end());
    percents.erase(std::unique(percents.begin(), percents.end()), percents.end());
    return percents;
}

std::vector<InpaintingEntry> summarize(const std::vector<Record>& records) {
    const auto place_of = [](const Record& record) {
        const auto& [row, cell, trial, seed] = record.task;
        return std::tuple(cell.percent, place_of_row(row), cell.image);
    };
    std::vector<InpaintingEntry> entries;
    for (const auto& [place, group] : groups_of(records, place_of)) {
        const InpaintingTask& first = group.front().task;
        std::vector<InpaintingScore> scores;
        for (const Record& record : group) scores.push_back(record.score);
        entries.push_back({first.row, first.cell, static_cast<int>(group.size()), mean_score(scores),
                           mean_and_error(numbers_of(group, &InpaintingScore::psnr)).spread});
    }
    return entries;
}

std::string markdown_report(const std::vector<InpaintingEntry>& entries, const std::vector<Record>& records,
                            const InpaintingOptions& options) {
    std::string text = "# Inpainting\n\n";
    write_origin(text, options, records);
    append_format(
        text,
        "Each sample of each channel is observed with the same probability, without noise; the rest is filled in as "
        "`sbdl inpaint --keep-observed` does it, or (*smooth*) by the smooth surface that it starts from, or (*bpfa*) "
        "by "
        "BPFA on all overlapping patches of 8 x 8 pixels. PSNR is over all samples, the observed ones included, and "
        "*missing* over the others; each row is the mean over its masks, "
        "with the standard error. *% within 1 std*, *% within 2 std*: the percentage of missing samples whose error is "
        "at most one, or two, of their standard deviations; 68.3 and 95.4 where those are right and errors Gaussian. "
        "Seconds are wall time.\n\n![PSNR against the share that is observed](inpainting.svg)\n\n");
    std::string title;
    for (const InpaintingEntry& entry : entries) {
        const std::string of_entry = fmt::format("## {} % observed, {}", entry.cell.percent, entry.row);
        if (of_entry != title)
            append_format(
                text,
                "{}{}\n\n| image | size | masks | PSNR (dB) | missing (dB) | SSIM | % within 1 std | % within "
                "2 std | s per trial |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n",
                title.empty() ? "" : "\n", of_entry);
        title = of_entry;
        append_format(text, "| {} | {} x {}{} | {} | {}\n", entry.cell.image, entry.cell.width, entry.cell.height,
                      entry.cell.planes == 1 ? "" : ", colour", entry.trials, numbers_row(entry.mean, entry.psnr_se));
    }
    return text;
}

}  // namespace sbdl::inpainting
