#include "experiments/table2/summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "experiments/table2/paper.hpp"
#include "experiments/table2/peers.hpp"

namespace sbdl::table2 {

namespace {

std::vector<double> numbers(const std::vector<Record>& records, double Table2Score::*number) {
    return numbers_of(records, [number](const Record& record) { return record.score.*number; });
}

// The best of the dictionary methods, or of the others.
std::optional<Table2Reference> best_of_peers(const Table2Entry& entry, bool dictionary) {
    std::optional<Table2Reference> best;
    for (const Peer& peer : peers()) {
        const std::optional<double> psnr = peer_psnr(peer, entry);
        if (peer.dictionary == dictionary && psnr && (!best || *psnr > best->psnr))
            best = Table2Reference{peer.method, *psnr};
    }
    return best;
}

Table2Entry summarize_entry(const Row& row, std::vector<Record> records) {
    // Sorted, so that sums do not depend on the order of the trials.
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return a.task.trial < b.task.trial; });
    const Record& first = records.front();
    Table2Entry entry;
    entry.row = row.name;
    entry.given_sigma = row.given_sigma;
    entry.cell = first.task.cell;
    entry.width = first.width;
    entry.height = first.height;
    entry.trials = static_cast<int>(records.size());
    entry.psnr_noisy = mean_and_error(numbers(records, &Table2Score::psnr_noisy));
    entry.psnr = mean_and_error(numbers(records, &Table2Score::psnr));
    entry.ssim = mean_and_error(numbers(records, &Table2Score::ssim));
    entry.noise_ratio = mean_and_std(
        numbers_of(records, [](const Record& record) { return record.score.noise_found / record.task.cell.sigma; }));
    entry.seconds = mean_and_std(numbers(records, &Table2Score::seconds)).mean;
    if (const std::optional<double> psnr = paper_psnr(entry.cell, row.in_print))
        entry.paper = Table2Reference{row.in_print, *psnr};
    entry.best_peer = best_of_peers(entry, true);
    entry.bm3d = best_of_peers(entry, false);
    return entry;
}

}  // namespace

std::vector<Table2Entry> summarize(const std::vector<Record>& records) {
    // In the order of the table: pixels, image, sigma, stride, position of the row.
    using Place = std::tuple<std::size_t, std::string, int, int, std::size_t>;
    std::map<Place, std::vector<Record>> groups;
    for (const Record& record : records) {
        const Table2Cell& cell = record.task.cell;
        const auto row = static_cast<std::size_t>(&row_named(record.task.row) - all_rows().data());
        groups[{record.width * record.height, cell.image, cell.sigma, cell.stride, row}].push_back(record);
    }
    std::vector<Table2Entry> entries;
    for (const auto& [place, group] : groups) entries.push_back(summarize_entry(all_rows()[std::get<4>(place)], group));
    return entries;
}

bool noise_is_right(const Table2Entry& entry) {
    return std::abs(entry.noise_ratio.mean - 1.0) <= noise_tolerance;
}

std::string verdict_text(const Table2Entry& entry, const Table2Reference& target) {
    const double shortfall = target.psnr - entry.psnr.mean;
    return shortfall <= 0.0 ? "reached" : fmt::format("missed by {:.3f}", shortfall);
}

}  // namespace sbdl::table2
