// What was found on every page: the noise and the PSNR as plots over the pages, and a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/markup.hpp"
#include "plot/html_figure.hpp"
#include "report/numbers.hpp"
#include "report/stack_sections.hpp"
#include "report/tiles.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_rows = 1000;
constexpr std::size_t least_pages_for_plot = 3;
constexpr double least_clipped = 0.005;  // what is less is 0 %

using Pages = std::vector<StackPageFacts>;

// --- plots

struct PagesSeries {
    std::string label;
    plot::Hue hue;
    double StackPageFacts::*value;
};

std::string pages_plot(const Pages& pages, const std::string& caption, const std::string& what,
                       const std::vector<PagesSeries>& shown, bool from_zero) {
    if (pages.size() < least_pages_for_plot) return {};
    plot::Panel panel;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const auto& [label, hue, value] : shown) {
        plot::Series series{.label = label, .hue = hue, .points = {}};
        for (std::size_t i = 0; i < pages.size(); ++i) {
            const double y = pages[i].*value;
            if (!std::isfinite(y)) continue;
            least = std::min(least, y);
            most = std::max(most, y);
            series.points.push_back({static_cast<double>(i + 1), y});
        }
        if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
    if (panel.series.empty()) return {};
    panel.x = plot::whole_axis(1.0, static_cast<double>(pages.size()), 8);
    panel.x.name = "page";
    panel.y = plot::round_axis(from_zero ? 0.0 : least, most, 5);
    panel.y.name = what;
    const std::string description =
        fmt::format("{} over pages 1 to {}, from {} to {}", what, pages.size(), number(least), number(most));
    return plot::html_figure({caption, description, std::move(panel)});
}

// --- the table

/// A column; one in which no page has anything is left out.
struct Column {
    const char* name;
    std::string (*cell)(const StackPageFacts& page);  ///< HTML
};

std::string joined(const std::vector<std::string>& texts, const char* separator) {
    return fmt::format("{}", fmt::join(texts, separator));
}

/// Of all planes, if the noise of one of them grows. The gain of a plane whose noise does not is 0.
std::string of_planes(const StackPageFacts& page, double PlaneNoise::*value) {
    if (std::ranges::none_of(page.noise.planes, &PlaneNoise::grows)) return {};
    std::vector<std::string> numbers;
    for (const PlaneNoise& plane : page.noise.planes) numbers.push_back(number(plane.*value, 3));
    return joined(numbers, ", ");
}

std::string offset_cell(const StackPageFacts& page) {
    const bool none = std::all_of(page.noise.planes.begin(), page.noise.planes.end(),
                                  [](const PlaneNoise& plane) { return plane.offset == 0.0; });
    return none ? "" : of_planes(page, &PlaneNoise::offset);
}

std::string correlation_cell(const StackPageFacts& page) {
    std::vector<std::string> numbers;
    for (const double correlation : page.noise.correlation) numbers.push_back(fixed(correlation, 2));
    const bool white = std::all_of(page.noise.correlation.begin(), page.noise.correlation.end(),
                                   [](double correlation) { return correlation == 0.0; });
    return white ? "" : joined(numbers, ", ");
}

std::string clipped_cell(const StackPageFacts& page) {
    double clipped = 0.0;
    for (const PlaneNoise& plane : page.noise.planes) clipped = std::max(clipped, plane.clipped);
    return clipped < least_clipped ? "" : fmt::format("{:.0f} %", 100.0 * clipped);
}

std::string noise_cell(const StackPageFacts& page) {
    return std::isnan(page.noise_sd) ? "" : number(page.noise_sd, 3);
}

std::string missing_cell(const StackPageFacts& page) {
    return std::isnan(page.missing) ? "" : percent_text(page.missing);
}

std::string psnr_cell(const StackPageFacts& page) {
    return psnr_text(page.psnr_before, page.psnr_after);
}

std::string remarks_cell(const StackPageFacts& page) {
    std::vector<std::string> remarks;
    if (page.only_noise) remarks.emplace_back("almost nothing but noise");
    if (page.noise.striped()) remarks.emplace_back("stripes");
    if (page.noise.impulses > 0.0) remarks.emplace_back("salt and pepper");
    if (page.unchanged && !std::isnan(page.missing))
        remarks.emplace_back("nothing missing; left as it is");
    else if (page.unchanged)
        remarks.emplace_back(page.noise.foreign() ? "no other noise found; left as it is"
                                                  : "no noise found; left as it is");
    if (page.noise.nearly_none && !page.unchanged) remarks.emplace_back("nearly free of noise");
    if (page.noise.compressed) remarks.emplace_back("strongly compressed");
    for (const std::string& warning : page.warnings) remarks.push_back(escaped(warning));
    return joined(remarks, "; ");
}

constexpr Column columns[] = {
    {"Missing", missing_cell},
    {"Noise", noise_cell},
    {"Gain", [](const StackPageFacts& page) { return of_planes(page, &PlaneNoise::gain); }},
    {"Read noise", [](const StackPageFacts& page) { return of_planes(page, &PlaneNoise::read_noise); }},
    {"Offset", offset_cell},
    {"Correlation", correlation_cell},
    {"Clipped", clipped_cell},
    {"PSNR (dB)", psnr_cell},
    {"Remarks", remarks_cell},
};

std::string pages_table(const Pages& pages) {
    const std::size_t rows = std::min(pages.size(), most_rows);
    std::vector<const Column*> used;
    for (const Column& column : columns)
        if (std::any_of(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(rows),
                        [&](const StackPageFacts& page) { return !column.cell(page).empty(); }))
            used.push_back(&column);
    std::string head = "<th scope=\"col\">Page</th>";
    for (const Column* column : used) head += fmt::format("<th scope=\"col\">{}</th>", column->name);
    std::string body;
    for (std::size_t i = 0; i < rows; ++i) {
        body += fmt::format("<tr><th scope=\"row\">{}</th>", i + 1);
        for (const Column* column : used) body += "<td>" + column->cell(pages[i]) + "</td>";
        body += "</tr>\n";
    }
    const std::string remark = rows == pages.size()
                                   ? ""
                                   : fmt::format("<p class=\"remark\">The first {} of {} pages are listed.</p>\n",
                                                 count(rows), count(pages.size()));
    return fmt::format(
        "<div class=\"pages\" role=\"region\" aria-label=\"Pages\" "
        "tabindex=\"0\">\n<table>\n<thead><tr>{}</tr></thead>\n"
        "<tbody>\n{}</tbody>\n</table>\n</div>\n{}",
        head, body, remark);
}

// Names only the columns that need it.
std::string pages_lead(const Pages& pages) {
    const auto any = [&](auto cell) {
        return std::any_of(pages.begin(), pages.end(), [&](const StackPageFacts& page) { return !cell(page).empty(); });
    };
    std::string text = "<p>The standard deviation of the noise is on the scale of the images.";
    if (any([](const StackPageFacts& page) { return of_planes(page, &PlaneNoise::gain); }))
        text += any(offset_cell)
                    ? " Where it grows with brightness, its variance is gain × (brightness − offset) + read noise²."
                    : " Where it grows with brightness, its variance is gain × brightness + read noise².";
    if (any(correlation_cell)) text += " Correlation: between the noise of neighbouring pixels.";
    if (any(clipped_cell)) text += " Clipped: samples whose noise was cut off at an end of the scale.";
    return text + "</p>\n";
}

}  // namespace

std::string stack_pages(const StackReportContent& content) {
    const Pages& pages = content.pages;
    return section("pages", "Page by page",
                   pages_lead(pages) +
                       pages_plot(pages, "Noise: its standard deviation on each page.", "noise",
                                  {{"noise", plot::Hue::blue, &StackPageFacts::noise_sd}}, /*from_zero=*/true) +
                       pages_plot(pages, "PSNR against the truth, in dB: higher is better.", "PSNR (dB)",
                                  {{"after", plot::Hue::blue, &StackPageFacts::psnr_after},
                                   {"before", plot::Hue::orange, &StackPageFacts::psnr_before}},
                                  /*from_zero=*/false) +
                       pages_table(pages));
}

}  // namespace sbdl::report
