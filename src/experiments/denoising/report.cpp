// From trials to means, and to a page with a table for each sigma and method.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "experiments/denoising/denoising.hpp"

namespace sbdl::denoising {

namespace {

DenoisingScore mean_of(const std::vector<DenoisingScore>& scores) {
    DenoisingScore mean;
    for (const auto& number : score_numbers)
        for (const DenoisingScore& score : scores)
            mean.*number.member += score.*number.member / static_cast<double>(scores.size());
    return mean;
}

std::size_t position_of(const std::string& method) {
    const std::vector<std::string_view> methods = denoise_methods();
    return static_cast<std::size_t>(std::find(methods.begin(), methods.end(), method) - methods.begin());
}

std::string size_text(const DenoisingCell& cell) {
    return fmt::format("{} x {}{}", cell.width, cell.height, cell.planes == 1 ? "" : ", colour");
}

/// The numbers of a row, from the PSNR of the noisy image on.
std::string numbers_text(const DenoisingScore& mean, double psnr_se, int sigma) {
    return fmt::format("{:.2f} | {} | {:.4f} | {:.3f} | {:.1f} | {:.1f} | {:.1f} |", mean.psnr_noisy,
                       with_spread({mean.psnr, psnr_se}, 2), mean.ssim, mean.noise_ratio(sigma),
                       100.0 * mean.within_1_std, 100.0 * mean.within_2_std, mean.seconds);
}

void write_table(std::string& out, const std::vector<DenoisingEntry>& entries, const DenoisingMean& whole) {
    append_format(out,
                  "## sigma = {}, method {}\n\n| image | size | noises | noisy (dB) | PSNR (dB) | SSIM | sigma found / "
                  "truth | % within 1 std | % within 2 std | s per trial |\n"
                  "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                  whole.sigma, whole.method);
    for (const DenoisingEntry* entry : those(
             entries, [&](const DenoisingEntry& e) { return e.method == whole.method && e.cell.sigma == whole.sigma; }))
        append_format(out, "| {} | {} | {} | {}\n", entry->cell.image, size_text(entry->cell), entry->trials,
                      numbers_text(entry->mean, entry->psnr_se, whole.sigma));
    append_format(out, "| **mean** | {} image{} | | {}\n\n", whole.images, whole.images == 1 ? "" : "s",
                  numbers_text(whole.mean, std::numeric_limits<double>::quiet_NaN(), whole.sigma));
}

}  // namespace

std::vector<DenoisingEntry> summarize(const std::vector<Record>& records) {
    const auto place_of = [](const Record& record) {
        const auto& [method, cell, trial, seed] = record.task;
        return std::tuple(cell.sigma, position_of(method), cell.image);
    };
    std::vector<DenoisingEntry> entries;
    for (const auto& [place, group] : groups_of(records, place_of)) {
        const DenoisingTask& first = group.front().task;
        std::vector<DenoisingScore> scores;
        for (const Record& record : group) scores.push_back(record.score);
        entries.push_back({first.row, first.cell, static_cast<int>(group.size()), mean_of(scores),
                           mean_and_error(numbers_of(group, &DenoisingScore::psnr)).spread});
    }
    return entries;
}

std::vector<DenoisingMean> means_of(const std::vector<DenoisingEntry>& entries) {
    std::map<std::tuple<int, std::size_t>, std::vector<DenoisingScore>> groups;
    for (const DenoisingEntry& entry : entries)
        groups[{entry.cell.sigma, position_of(entry.method)}].push_back(entry.mean);
    std::vector<DenoisingMean> means;
    for (const auto& [place, scores] : groups)
        means.push_back({std::string(denoise_methods()[std::get<1>(place)]), std::get<0>(place),
                         static_cast<int>(scores.size()), mean_of(scores)});
    return means;
}

std::string markdown_report(const std::vector<DenoisingEntry>& entries, const std::vector<Record>& records,
                            const DenoisingOptions& options) {
    std::string text = "# Denoising, given nothing\n\n";
    write_origin(text, options, records);
    append_format(
        text,
        "Images plus Gaussian noise of standard deviation sigma, on a scale on which white is 255, as `sbdl denoise` "
        "cleans them, given nothing about the noise. Nothing is clipped or rounded. PSNR and SSIM compare with "
        "the clean image; each row is the mean over its noises, with the standard error of the PSNR, and the last row "
        "of a table is the mean over its images. *% within 1 std*, *% within 2 std*: the percentage of samples whose "
        "error is at most one, or two, of the standard deviations of `--std`; 68.3 and 95.4 where those are right and "
        "errors Gaussian. Seconds are wall time.\n\n");
    for (const DenoisingMean& mean : means_of(entries)) write_table(text, entries, mean);
    return text;
}

}  // namespace sbdl::denoising
