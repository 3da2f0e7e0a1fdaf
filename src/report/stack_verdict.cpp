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

/// The mean PSNR of the pages that have one; those that equal the truth have none that is finite, and count only if all
/// do. NaN: no page has one.
double mean_psnr(const std::vector<StackPageFacts>& pages, double StackPageFacts::*psnr) {
    double sum = 0.0, finite = 0.0, equal = 0.0;
    for (const StackPageFacts& page : pages) {
        if (std::isfinite(page.*psnr)) {
            sum += page.*psnr;
            ++finite;
        } else if (std::isinf(page.*psnr)) {
            ++equal;
        }
    }
    if (finite > 0.0) return sum / finite;
    return equal > 0.0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}

std::string psnr_tile(const StackReportContent& content) {
    const double before = mean_psnr(content.pages, &StackPageFacts::psnr_before),
                 after = mean_psnr(content.pages, &StackPageFacts::psnr_after);
    const std::string psnr = psnr_text(before, after);
    if (psnr.empty()) return {};
    const bool some_equal = std::any_of(content.pages.begin(), content.pages.end(), [](const StackPageFacts& page) {
        return std::isinf(page.psnr_before) || std::isinf(page.psnr_after);
    });
    const std::string range = content.range.high >= content.range.low ? "; " + range_note(content.range) : "";
    return tile("PSNR", psnr + " dB",
                std::string(std::isnan(before) ? "" : "before → after; ") +
                    (some_equal ? "mean of the pages, without those that equal the truth"
                                : "mean of the pages, against the truth") +
                    range);
}

/// "3 to 5", or what all pages have. Pages without the value (NaN) are left out; empty: none has it.
template <class Text>
std::string range_of(const std::vector<StackPageFacts>& pages, double StackPageFacts::*value, const Text& text) {
    std::vector<double> values;
    for (const StackPageFacts& page : pages)
        if (!std::isnan(page.*value)) values.push_back(page.*value);
    if (values.empty()) return {};
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::string low = text(*least), high = text(*most);
    return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string noise_range_tile(const StackReportContent& content) {
    const std::string range =
        range_of(content.pages, &StackPageFacts::noise_sd, [](double sd) { return number(sd, 3); });
    if (range.empty()) return {};
    return tile("Noise found", range, "standard deviation, on the scale of the images; each page has its own");
}

std::string missing_tile(const StackReportContent& content) {
    if (!inpainted(content)) return {};
    return tile("Missing", range_of(content.pages, &StackPageFacts::missing, percent_text), "of the samples of a page");
}

std::string pages_tile(const StackReportContent& content) {
    const auto how_many = [&](bool StackPageFacts::*flag) {
        return static_cast<std::uint64_t>(std::count_if(content.pages.begin(), content.pages.end(),
                                                        [flag](const StackPageFacts& page) { return page.*flag; }));
    };
    const std::uint64_t unchanged = how_many(&StackPageFacts::unchanged), empty = how_many(&StackPageFacts::only_noise);
    std::string note;
    const bool filled = inpainted(content);
    if (unchanged > 0) note += fmt::format("{} in {}", filled ? "nothing missing" : "no noise found", count(unchanged));
    if (empty > 0) note += fmt::format("{}almost nothing but noise in {}", note.empty() ? "" : "; ", count(empty));
    return tile("Pages", count(content.pages.size()),
                !note.empty() ? note
                : filled      ? "all were filled in"
                              : "all were denoised");
}

std::string time_tile(const StackReportContent& content) {
    if (!(content.seconds > 0.0) || content.resumed_at >= content.pages.size()) return {};
    const auto pages = static_cast<double>(content.pages.size() - content.resumed_at);
    std::string note = fmt::format("{} s a page", number(content.seconds / pages, 2));
    if (content.resumed_at > 0) note += fmt::format("; since the run was resumed at page {}", content.resumed_at + 1);
    return tile("Time", number(content.seconds, 3) + " s", note);
}

}  // namespace

bool inpainted(const StackReportContent& content) {
    return std::none_of(content.pages.begin(), content.pages.end(),
                        [](const StackPageFacts& page) { return std::isnan(page.missing); });
}

std::string psnr_text(double before, double after) {
    if (std::isnan(after)) return {};
    return std::isnan(before) ? decibel(after) : fmt::format("{} → {}", decibel(before), decibel(after));
}

std::string stack_verdict(const StackReportContent& content) {
    std::string warnings;
    for (const std::string& warning : content.warnings) warnings += "<li>" + escaped(warning) + "</li>\n";
    if (!warnings.empty()) warnings = "<ul class=\"advice\">\n" + warnings + "</ul>\n";
    std::string tiles = psnr_tile(content) + missing_tile(content) + noise_range_tile(content) + pages_tile(content) +
                        time_tile(content);
    if (content.model != nullptr) return verdict(*content.model, warnings, tiles + atoms_tile(*content.model));
    const std::string_view heading = inpainted(content)
                                         ? "<h2>Missing pixels were filled in from what was observed</h2>\n"
                                         : "<h2>Each page has its own dictionary</h2>\n"
                                           "<p>Whether each of them was learned well is not kept.</p>\n";
    return fmt::format("<section id=\"verdict\" class=\"unknown\">\n{}{}{}</section>\n", heading, warnings,
                       tile_row(tiles));
}

}  // namespace sbdl::report
