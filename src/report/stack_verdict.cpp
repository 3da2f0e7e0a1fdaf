// The verdict on a stack: how its dictionary was learned, how close the pages came to the truth, what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/markup.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/stack_sections.hpp"
#include "report/tiles.hpp"

namespace sbdl::report {
namespace {

/// The mean PSNR of the pages; those that equal the truth have none that is finite, and count only if all do. NaN: the
/// truth is not known.
double mean_psnr(const std::vector<StackPageFacts>& pages, double StackPageFacts::*psnr) {
    double sum = 0.0, finite = 0.0;
    for (const StackPageFacts& page : pages) {
        if (std::isnan(page.*psnr)) return page.*psnr;
        if (std::isinf(page.*psnr)) continue;
        sum += page.*psnr;
        ++finite;
    }
    return finite > 0.0 ? sum / finite : std::numeric_limits<double>::infinity();
}

std::string psnr_tile(const StackReportContent& content) {
    const double before = mean_psnr(content.pages, &StackPageFacts::psnr_before),
                 after = mean_psnr(content.pages, &StackPageFacts::psnr_after);
    if (std::isnan(before) || std::isnan(after)) return {};
    const bool some_equal = std::any_of(content.pages.begin(), content.pages.end(), [](const StackPageFacts& page) {
        return std::isinf(page.psnr_before) || std::isinf(page.psnr_after);
    });
    const std::string range = content.range.high >= content.range.low ? "; " + range_note(content.range) : "";
    return tile("PSNR", fmt::format("{} → {} dB", decibel(before), decibel(after)),
                (some_equal ? "before → after; mean of the pages, without those that equal the truth"
                            : "before → after; mean of the pages, against the truth") +
                    range);
}

std::string noise_range_tile(const StackReportContent& content) {
    const auto [least, most] =
        std::minmax_element(content.pages.begin(), content.pages.end(),
                            [](const StackPageFacts& a, const StackPageFacts& b) { return a.noise_sd < b.noise_sd; });
    const std::string low = number(least->noise_sd, 3), high = number(most->noise_sd, 3);
    return tile("Noise found", low == high ? low : fmt::format("{} to {}", low, high),
                "standard deviation, on the scale of the images; each page has its own");
}

std::string pages_tile(const StackReportContent& content) {
    const auto how_many = [&](bool StackPageFacts::*flag) {
        return static_cast<std::uint64_t>(std::count_if(content.pages.begin(), content.pages.end(),
                                                        [flag](const StackPageFacts& page) { return page.*flag; }));
    };
    const std::uint64_t unchanged = how_many(&StackPageFacts::unchanged), empty = how_many(&StackPageFacts::only_noise);
    std::string note;
    if (unchanged > 0) note += fmt::format("no noise found in {}", count(unchanged));
    if (empty > 0) note += fmt::format("{}almost nothing but noise in {}", note.empty() ? "" : "; ", count(empty));
    return tile("Pages", count(content.pages.size()), note.empty() ? "all were denoised" : note);
}

std::string time_tile(const StackReportContent& content) {
    if (!(content.seconds > 0.0) || content.resumed_at >= content.pages.size()) return {};
    const auto pages = static_cast<double>(content.pages.size() - content.resumed_at);
    std::string note = fmt::format("{} s a page", number(content.seconds / pages, 2));
    if (content.resumed_at > 0) note += fmt::format("; since the run was resumed at page {}", content.resumed_at + 1);
    return tile("Time", number(content.seconds, 3) + " s", note);
}

}  // namespace

std::string stack_verdict(const StackReportContent& content) {
    std::string warnings;
    for (const std::string& warning : content.warnings) warnings += "<li>" + escaped(warning) + "</li>\n";
    if (!warnings.empty()) warnings = "<ul class=\"advice\">\n" + warnings + "</ul>\n";
    std::string tiles = psnr_tile(content) + noise_range_tile(content) + pages_tile(content) + time_tile(content);
    if (content.model != nullptr) return verdict(*content.model, warnings, tiles + atoms_tile(*content.model));
    return fmt::format(
        "<section id=\"verdict\" class=\"unknown\">\n<h2>Each page has its own dictionary</h2>\n"
        "<p>Whether each of them was learned well is not kept.</p>\n{}{}</section>\n",
        warnings, tile_row(tiles));
}

}  // namespace sbdl::report
