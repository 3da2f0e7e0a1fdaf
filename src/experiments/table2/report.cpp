// The table as CSV, for programs, and as Markdown, for people: a table for each stride and image with the numbers in
// print and those of published tools below ours, then every row cell by cell.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "experiments/table2/paper.hpp"
#include "experiments/table2/peers.hpp"
#include "experiments/table2/reports.hpp"
#include "experiments/trial_report.hpp"

namespace sbdl::table2 {

namespace {

using Out = ReportOut;

// --- one image at one stride

class ImageTable {
public:
    /// `entries`: all of the image and stride, ordered by sigma, then by row; not empty.
    ImageTable(Out out, Entries entries) : out_(out), entries_(std::move(entries)) {
        for (const Table2Entry* entry : entries_)
            if (sigmas_.empty() || sigmas_.back()->cell.sigma != entry->cell.sigma) sigmas_.push_back(entry);
    }

    void write() const {
        const Table2Entry& any = *entries_.front();
        fmt::format_to(out_, "### {} ({} x {})\n\n| PSNR in dB, r = {} |", any.cell.image, any.width, any.height,
                       any.cell.stride);
        for (const Table2Entry* sigma : sigmas_) fmt::format_to(out_, " sigma = {} |", sigma->cell.sigma);
        fmt::format_to(out_, "\n|:--|");
        for (std::size_t i = 0; i < sigmas_.size(); ++i) fmt::format_to(out_, "--:|");
        fmt::format_to(out_, "\n");
        write_line("noisy", "", [](const Table2Entry& entry) { return with_spread(entry.psnr_noisy, 2); });
        for (const Row& row : all_rows()) write_row(row);
        for (const std::string_view method : paper_methods())
            write_line(fmt::format("*paper: {}*", method), "",
                       [&](const Table2Entry& entry) { return number(paper_psnr(entry.cell, method)); });
        for (const Peer& peer : peers())
            write_line(fmt::format("*elsewhere: {}; given {}*", peer.method, peer.given), "",
                       [&](const Table2Entry& entry) { return number(peer_psnr(peer, entry)); });
        fmt::format_to(out_, "\n");
    }

private:
    static std::string_view given_text(const Row& row) {
        if (!row.given_sigma) return "sigma inferred";
        return row.lambda > 0.0 ? "given sigma and two weights" : "given sigma";
    }

    static std::string number(const std::optional<double>& value) {
        return value ? fmt::format("{:.2f}", *value) : std::string();
    }

    void write_row(const Row& row) const {
        const auto ours = [&](const Table2Entry& at, const auto& text) {
            const auto place = std::find_if(entries_.begin(), entries_.end(), [&](const Table2Entry* entry) {
                return entry->row == row.name && entry->cell == at.cell;
            });
            return place == entries_.end() ? std::string() : text(**place);
        };
        write_line(fmt::format("**{}**, {}", row.name, given_text(row)), "not run", [&](const Table2Entry& at) {
            return ours(at, [](const Table2Entry& entry) { return with_spread(entry.psnr, 2); });
        });
        if (row.given_sigma) return;
        write_line(fmt::format("{}: inferred sigma / truth", row.name), "", [&](const Table2Entry& at) {
            return ours(at, [](const Table2Entry& entry) { return fmt::format("{:.3f}", entry.noise_ratio.mean); });
        });
    }

    // Left out when all columns are empty; `absent` is written where one is.
    template <class Text>
    void write_line(const std::string& label, std::string_view absent, const Text& text) const {
        std::string cells;
        bool any = false;
        for (const Table2Entry* sigma : sigmas_) {
            const std::string cell = text(*sigma);
            any = any || !cell.empty();
            cells += fmt::format(" {} |", cell.empty() ? absent : cell);
        }
        if (any) fmt::format_to(out_, "| {} |{}\n", label, cells);
    }

    Out out_;
    Entries entries_;
    Entries sigmas_;  // the first entry of each
};

void write_tables(Out out, const std::vector<Table2Entry>& entries) {
    for (const int stride : strides) {
        const Entries here = those(entries, [&](const Table2Entry& entry) { return entry.cell.stride == stride; });
        if (here.empty()) continue;
        fmt::format_to(out, "## Training patches {} pixels apart (r = {})\n\n", stride, stride);
        std::set<std::string> written;
        for (const Table2Entry* first : here) {
            if (!written.insert(first->cell.image).second) continue;
            ImageTable(out, those(entries,
                                  [&](const Table2Entry& entry) {
                                      return entry.cell.stride == stride && entry.cell.image == first->cell.image;
                                  }))
                .write();
        }
    }
}

// --- one row, cell by cell

std::string compared(const Table2Entry& entry, const std::optional<Table2Reference>& target) {
    if (!target) return "";
    const std::string verdict = verdict_text(entry, *target);
    return fmt::format("{:.2f}: {}", target->psnr, verdict == "reached" ? verdict : fmt::format("**{}**", verdict));
}

void write_details(Out out, const std::vector<Table2Entry>& entries, const Row& row) {
    const Entries mine = those(entries, [&](const Table2Entry& entry) { return entry.row == row.name; });
    if (mine.empty()) return;
    fmt::format_to(out,
                   "## {}, cell by cell\n\n| image | sigma | r | trials | PSNR (dB) | SSIM | sigma found / truth | "
                   "within {:.0f} % | paper, same method | best tool given sigma | BM3D | s per trial |\n"
                   "|:--|--:|--:|--:|--:|--:|--:|:--|:--|:--|--:|--:|\n",
                   row.name, 100 * noise_tolerance);
    for (const Table2Entry* e : mine) {
        const std::string_view noise = e->given_sigma ? "given" : noise_is_right(*e) ? "yes" : "**missed**";
        fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} |\n", e->cell.image,
                       e->cell.sigma, e->cell.stride, e->trials, with_spread(e->psnr, 3), with_spread(e->ssim, 4),
                       with_spread(e->noise_ratio, 3), noise, compared(*e, e->paper), compared(*e, e->best_peer),
                       e->bm3d ? fmt::format("{:+.2f}", e->psnr.mean - e->bm3d->psnr) : "", e->seconds);
    }
    fmt::format_to(out, "\n");
}

void write_introduction(Out out, const std::vector<Table2Entry>& entries, const Table2Options& options) {
    int fewest = std::numeric_limits<int>::max();
    int most = 0;
    for (const Table2Entry& entry : entries) {
        fewest = std::min(fewest, entry.trials);
        most = std::max(most, entry.trials);
    }
    fmt::format_to(
        out,
        "Images plus Gaussian noise of standard deviation sigma, denoised with {} atoms for patches of 8 x 8 pixels: "
        "PSNR in dB (peak 255, nothing clipped or rounded), mean ± standard error over {} noise{}. All rows use the "
        "same noisy images. A cell is reached when our mean is at least the number it is compared with, and missed "
        "otherwise. The printed numbers are single numbers, for noise that we do not know. The paper does not say "
        "which "
        "boat image it used, and its numbers do not match the usual one, so boat is shown but not counted. The numbers "
        "marked *elsewhere* were measured elsewhere with one noise seed.\n\n",
        options.atoms, fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most),
        most == 1 ? "" : "s");
}

}  // namespace

std::string csv_report(const std::vector<Table2Entry>& entries) {
    std::string text =
        "row,given,image,width,height,sigma,stride,trials,psnr_noisy_mean,psnr_mean,psnr_se,ssim_mean,ssim_se,"
        "noise_ratio_mean,noise_ratio_sd,seconds_mean,paper_same_method,paper_verdict,best_peer,best_peer_method,"
        "best_peer_verdict,bm3d\n";
    const auto psnr = [](const std::optional<Table2Reference>& reference) {
        return reference ? fmt::format("{}", reference->psnr) : std::string();
    };
    const auto verdict = [](const Table2Entry& entry, const std::optional<Table2Reference>& reference) {
        return reference ? verdict_text(entry, *reference) : std::string();
    };
    for (const Table2Entry& e : entries)
        fmt::format_to(Out(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},\"{}\",{},{}\n", e.row,
                       e.given_sigma ? "sigma" : "nothing", e.cell.image, e.width, e.height, e.cell.sigma,
                       e.cell.stride, e.trials, or_empty(e.psnr_noisy.mean), or_empty(e.psnr.mean),
                       or_empty(e.psnr.spread), or_empty(e.ssim.mean), or_empty(e.ssim.spread),
                       or_empty(e.noise_ratio.mean), or_empty(e.noise_ratio.spread), or_empty(e.seconds), psnr(e.paper),
                       verdict(e, e.paper), psnr(e.best_peer), e.best_peer ? e.best_peer->method : "",
                       verdict(e, e.best_peer), psnr(e.bm3d));
    return text;
}

std::string markdown_report(const std::vector<Table2Entry>& entries, const std::vector<Record>& records,
                            const Table2Options& options, const std::optional<Table2Cell>& figure_cell) {
    std::string text = "# Table II: image denoising\n\n";
    const Out out(text);
    std::map<std::string, int> programs;
    for (const Record& record : records) ++programs[record.program];
    write_origin(out, options, programs, options.seed);
    write_introduction(out, entries, options);
    text += counts_in_words(entries) + "\n";
    write_tables(out, entries);
    for (const Row& row : all_rows()) write_details(out, entries, row);
    if (figure_cell)
        fmt::format_to(out,
                       "## Figures\n\n{}, sigma = {}, r = {}, first trial: the noisy image, vb-paper, "
                       "gibbs-paper.\n\n![Noisy, VB and Gibbs](figure_images.png)\n\nThe dictionaries of vb-paper "
                       "(left) and gibbs-paper (right), most used atoms first, each on its own scale.\n\n"
                       "![Dictionaries](figure_dictionaries.png)\n",
                       figure_cell->image, figure_cell->sigma, figure_cell->stride);
    return text;
}

}  // namespace sbdl::table2
