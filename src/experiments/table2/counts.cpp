// The table in words: how many cells reach the printed numbers and those of published tools, and which ones miss.
#include <algorithm>

#include <fmt/format.h>

#include "experiments/table2/paper.hpp"
#include "experiments/table2/reports.hpp"
#include "experiments/trial_report.hpp"

namespace sbdl::table2 {

namespace {

constexpr std::size_t cells_in_print = 12;   // of cameraman and couple
constexpr std::size_t cells_with_peers = 9;  // three images, three sigmas

// "reached in 3 of 5 cells, missed in 2 (7 not run): couple/15/2 missed by 0.040, ..."
template <class Target>
std::string reached_and_missed(const Entries& entries, std::size_t planned, const Target& target) {
    std::vector<std::string> misses;
    for (const Table2Entry* entry : entries)
        if (entry->psnr.mean < target(*entry).psnr)
            misses.push_back(fmt::format("{} {}", to_string(entry->cell), verdict_text(*entry, target(*entry))));
    return fmt::format("**reached in {} of {} cells, missed in {}**{}{}{}", entries.size() - misses.size(),
                       entries.size(), misses.size(),
                       entries.size() < planned ? fmt::format(" ({} not run)", planned - entries.size()) : "",
                       misses.empty() ? "" : ": ", fmt::join(misses, ", "));
}

void write_paper(ReportOut out, const std::vector<Table2Entry>& entries, const Row& row) {
    const Entries judged = those(entries, [&](const Table2Entry& entry) {
        return entry.row == row.name && entry.paper && same_image_in_print(entry.cell);
    });
    if (judged.empty()) return;
    fmt::format_to(out, "- **{}** against the paper's {} (cameraman, couple): {}.\n", row.name, row.in_print,
                   reached_and_missed(judged, cells_in_print, [](const Table2Entry& entry) { return *entry.paper; }));
}

void write_peers(ReportOut out, const std::vector<Table2Entry>& entries, std::string_view row) {
    const Entries judged =
        those(entries, [&](const Table2Entry& entry) { return entry.row == row && entry.best_peer && entry.bm3d; });
    if (judged.empty()) return;
    fmt::format_to(
        out,
        "- **{}**, which infers sigma, against the best dictionary method among the published tools, which were "
        "given it (r = 2; measured elsewhere with one noise seed): {}.\n",
        row, reached_and_missed(judged, cells_with_peers, [](const Table2Entry& entry) { return *entry.best_peer; }));
    double sum = 0.0;
    std::vector<std::string> distances;
    for (const Table2Entry* entry : judged) {
        const double distance = entry->psnr.mean - entry->bm3d->psnr;
        sum += distance;
        distances.push_back(fmt::format("{} {:+.2f}", to_string(entry->cell), distance));
    }
    fmt::format_to(out,
                   "- **{}** against BM3D, which is not a dictionary method: **{:+.2f} dB on average** over {}: {}.\n",
                   row, sum / static_cast<double>(judged.size()),
                   judged.size() == 1 ? "1 cell" : fmt::format("{} cells", judged.size()), fmt::join(distances, ", "));
}

// A method that infers the noise against one that is given it, on the same noisy images.
void write_inferred_against_given(ReportOut out, const std::vector<Table2Entry>& entries, std::string_view inferring,
                                  std::string_view given) {
    const auto rival = [&](const Table2Entry& entry) {
        return std::find_if(entries.begin(), entries.end(), [&](const Table2Entry& other) {
            return other.row == given && to_string(other.cell) == to_string(entry.cell);
        });
    };
    const Entries judged = those(
        entries, [&](const Table2Entry& entry) { return entry.row == inferring && rival(entry) != entries.end(); });
    if (judged.empty()) return;
    fmt::format_to(out,
                   "- **{}**, which infers sigma, against **{}**, which is given it, on the same noisy images: {}.\n",
                   inferring, given, reached_and_missed(judged, judged.size(), [&](const Table2Entry& entry) {
                       return Table2Reference{given, rival(entry)->psnr.mean};
                   }));
}

void write_noise(ReportOut out, const std::vector<Table2Entry>& entries, const Row& row) {
    const Entries judged =
        those(entries, [&](const Table2Entry& entry) { return entry.row == row.name && !entry.given_sigma; });
    if (judged.empty()) return;
    std::vector<std::string> wrong;
    for (const Table2Entry* entry : judged)
        if (!noise_is_right(*entry))
            wrong.push_back(fmt::format("{} missed with {:.3f}", to_string(entry->cell), entry->noise_ratio.mean));
    fmt::format_to(out, "- **{}** infers sigma within {:.0f} % of the truth in **{} of {} cells**{}{}.\n", row.name,
                   100 * noise_tolerance, judged.size() - wrong.size(), judged.size(), wrong.empty() ? "" : ": ",
                   fmt::join(wrong, ", "));
}

}  // namespace

std::string counts_in_words(const std::vector<Table2Entry>& entries) {
    std::string text;
    const ReportOut out(text);
    for (const Row& row : all_rows()) write_paper(out, entries, row);
    write_inferred_against_given(out, entries, "gibbs-paper", "ksvd");
    write_peers(out, entries, all_rows().front().name);
    for (const Row& row : all_rows()) write_noise(out, entries, row);
    return text;
}

}  // namespace sbdl::table2
