// From trials to means, standard errors and what they are compared with.
#include <cmath>
#include <tuple>

#include "experiments/table2/references.hpp"

namespace sbdl::table2 {

namespace {

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

Table2Entry summarize_entry(const Row& row, const std::vector<Record>& records) {
    const Record& first = records.front();
    Table2Entry entry;
    entry.row = row.name;
    entry.given_sigma = row.given_sigma;
    entry.cell = first.task.cell;
    entry.width = first.width;
    entry.height = first.height;
    entry.trials = static_cast<int>(records.size());
    entry.psnr_noisy = mean_and_error(numbers_of(records, &Table2Score::psnr_noisy));
    entry.psnr = mean_and_error(numbers_of(records, &Table2Score::psnr));
    entry.ssim = mean_and_error(numbers_of(records, &Table2Score::ssim));
    std::vector<double> ratios = numbers_of(records, &Table2Score::noise_found);
    for (double& ratio : ratios) ratio /= entry.cell.sigma;
    entry.noise_ratio = mean_and_std(ratios);
    entry.seconds = mean_and_std(numbers_of(records, &Table2Score::seconds)).mean;
    if (const std::optional<double> psnr = paper_psnr(entry.cell, row.in_print))
        entry.paper = Table2Reference{row.in_print, *psnr};
    entry.best_peer = best_of_peers(entry, true);
    entry.bm3d = best_of_peers(entry, false);
    return entry;
}

}  // namespace

std::vector<Table2Entry> summarize(const std::vector<Record>& records) {
    // In the order of the table: pixels, image, sigma, stride, position of the row.
    const auto place_of = [](const Record& record) {
        const Table2Cell& cell = record.task.cell;
        return std::tuple(record.width * record.height, cell.image, cell.sigma, cell.stride,
                          index_of_row(record.task.row));
    };
    const std::vector<Row> rows = all_rows();
    std::vector<Table2Entry> entries;
    for (const auto& [place, group] : groups_of(records, place_of))
        entries.push_back(summarize_entry(rows[std::get<4>(place)], group));
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
