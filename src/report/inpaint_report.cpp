// The page about an inpainted image. Files hold the pixels as the input has them; a page shows them as they are to be
// seen.
#include "sbdl/inpaint_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/atomic_file.hpp"
#include "inpaint/gap_errors.hpp"
#include "report/image_check.hpp"
#include "report/numbers.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"
#include "report/tiles.hpp"
#include "sbdl/quality.hpp"

namespace sbdl {
namespace report {
namespace {

/// The images as they are to be seen.
struct Seen {
    Image before, after;
    std::optional<Image> truth, std;
};

/// How well the standard deviations match the errors of missing pixels.
std::string within_tile(const Seen& seen) {
    if (!seen.truth || !seen.std) return {};
    const GapErrors errors = gap_errors(*seen.truth, seen.before, seen.after, *seen.std);
    if (std::isnan(errors.within_1)) return {};
    return tile("within 1 and 2 std",
                fmt::format("{:.1f} % and {:.1f} %", 100.0 * errors.within_1, 100.0 * errors.within_2),
                "of the errors of missing pixels; 68.3 % and 95.4 % of Gaussian errors");
}

std::string facts(const InpaintReportContent& content, const Seen& seen) {
    const InpaintResult& result = *content.result;
    const Image& after = seen.after;
    const double samples = static_cast<double>(after.planes.size() * after.height() * after.width());
    std::string tiles =
        tile("missing", fmt::format("{} %", number(100.0 * static_cast<double>(result.missing) / samples, 3)),
             fmt::format("{} samples", result.missing)) +
        tile("noise", number(result.noise_sd, 3), result.noise_given ? "given" : "inferred") +
        tile("rounds", fmt::format("{}", result.rounds), "over groups of similar patches");
    if (seen.truth)
        tiles += tile("PSNR", fmt::format("{:.2f} dB", psnr(*seen.truth, after, data_range(*seen.truth).width())),
                      "against the truth") +
                 within_tile(seen);
    std::string body = tile_row(tiles);
    for (const std::string& warning : result.warnings) body += fmt::format("<p>{}</p>\n", warning);
    return section("facts", "What was done", body);
}

}  // namespace
}  // namespace report

std::string inpaint_report_html(const InpaintReportContent& content) {
    const InpaintResult& result = *content.result;
    report::Seen seen{with_orientation(*content.before, 1), with_orientation(result.image, 1), {}, {}};
    if (content.truth != nullptr) seen.truth = with_orientation(*content.truth, 1);
    if (!result.std.planes.empty()) seen.std = with_orientation(result.std, 1);
    std::vector<report::NamedImage> given{{.name = "before", .image = &seen.before, .may_miss = true},
                                          {"after", &seen.after}};
    if (seen.truth) given.push_back({"truth", &*seen.truth});
    if (seen.std) given.push_back({"std", &*seen.std});
    report::check_images(given);
    const report::ComparedImages images{&seen.before, &seen.after, seen.truth ? &*seen.truth : nullptr,
                                        /*inpainted=*/true};
    constexpr std::size_t most_per_side = 1024;
    return report::page(content.title.empty() ? "sbdl: an inpainted image" : content.title,
                        "Missing pixels filled in from what was observed.",
                        report::facts(content, seen) +
                            report::section("compare", "Before and after",
                                            report::divider_hint + report::comparison(images, most_per_side)) +
                            (seen.std ? report::inpainted_certainty(*seen.std) : "") + report::repeat(content.command),
                        content.program);
}

void write_inpaint_report(const std::filesystem::path& path, const InpaintReportContent& content) {
    write_text_file(path, inpaint_report_html(content));
}

}  // namespace sbdl
