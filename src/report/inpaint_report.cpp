// The page about an inpainted image. Files hold the pixels as the input has them; a page shows them as they are to be
// seen.
#include "sbdl/inpaint_report.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/atomic_file.hpp"
#include "report/display_image.hpp"
#include "report/image_check.hpp"
#include "report/numbers.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"
#include "report/tiles.hpp"
#include "sbdl/quality.hpp"

namespace sbdl {
namespace report {
namespace {

std::string facts(const InpaintReportContent& content, const std::optional<Image>& truth, const Image& after) {
    const InpaintResult& result = *content.result;
    const double samples = static_cast<double>(after.planes.size() * after.height() * after.width());
    std::string tiles =
        tile("missing", fmt::format("{} %", number(100.0 * static_cast<double>(result.missing) / samples, 3)),
             fmt::format("{} samples", result.missing)) +
        tile("noise", number(result.noise_sd, 3), result.noise_given ? "given" : "inferred") +
        tile("rounds", fmt::format("{}", result.rounds), "over groups of similar patches");
    if (truth)
        tiles += tile("PSNR", fmt::format("{:.2f} dB", psnr(*truth, after, data_range(*truth).width())),
                      "against the truth");
    std::string body = tile_row(tiles);
    for (const std::string& warning : result.warnings) body += fmt::format("<p>{}</p>\n", warning);
    return section("facts", "What was done", body);
}

}  // namespace
}  // namespace report

std::string inpaint_report_html(const InpaintReportContent& content) {
    const InpaintResult& result = *content.result;
    const Image before = report::with_black_gaps(with_orientation(*content.before, 1));
    const Image after = with_orientation(result.image, 1);
    std::optional<Image> truth, std;
    if (content.truth != nullptr) truth = with_orientation(*content.truth, 1);
    if (!result.std.planes.empty()) std = with_orientation(result.std, 1);
    std::vector<report::NamedImage> given{{"before", &before}, {"after", &after}};
    if (truth) given.push_back({"truth", &*truth});
    if (std) given.push_back({"std", &*std, true});
    report::check_images(given);
    const report::ComparedImages images{&before, &after, truth ? &*truth : nullptr};
    ReportContent of_std;
    if (std) of_std.std = &*std;
    constexpr std::size_t most_per_side = 1024;
    return report::page(content.title.empty() ? "sbdl: an inpainted image" : content.title,
                        "Missing pixels filled in from what was observed.",
                        report::facts(content, truth, after) +
                            report::section("compare", "Before and after",
                                            report::divider_hint + report::comparison(images, most_per_side)) +
                            report::maps(of_std) + report::repeat(content.command),
                        content.program);
}

void write_inpaint_report(const std::filesystem::path& path, const InpaintReportContent& content) {
    write_text_file(path, inpaint_report_html(content));
}

}  // namespace sbdl
