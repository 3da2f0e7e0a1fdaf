// The first, the middle and the last page, before and after.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "report/image_check.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/stack_sections.hpp"
#include "report/tiles.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_preview_pixels = 640;  // per side

std::string example(const StackReportContent& content, std::size_t number) {
    const auto [before, after] = content.images(number);
    const bool filled = inpainted(content);
    check_images({{.name = "before", .image = &before, .may_miss = filled}, {"after", &after}});
    const StackPageFacts& page = content.pages[number];
    std::string note =
        std::isnan(page.noise_sd) ? "Nothing missing" : fmt::format("Noise {}", report::number(page.noise_sd, 3));
    if (page.missing > 0.0) note += fmt::format("; {} missing", percent_text(page.missing));
    if (const std::string psnr = psnr_text(page.psnr_before, page.psnr_after); !psnr.empty())
        note += fmt::format("; {} dB", psnr);
    return fmt::format("<div>\n<h3>Page {}</h3>\n{}<p class=\"remark\">{}</p>\n</div>\n", number + 1,
                       comparison({.before = &before, .after = &after, .inpainted = filled}, most_preview_pixels),
                       note);
}

}  // namespace

std::string stack_examples(const StackReportContent& content) {
    if (!content.images) return {};
    const std::size_t last = content.pages.size() - 1;
    std::string examples;
    for (const std::size_t page : std::set<std::size_t>{0, last / 2, last}) examples += example(content, page);
    return section("examples", "Before and after", divider_hint + "<div class=\"examples\">\n" + examples + "</div>\n");
}

}  // namespace sbdl::report
