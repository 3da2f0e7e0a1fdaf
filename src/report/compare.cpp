// Before and after, one on top of the other with a movable divider; also the truth, if it is given. Without the script,
// and in print, they are shown side by side.
#include <fmt/format.h>

#include "report/display_image.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

struct Shown {
    const char* name;
    const char* caption;
    const char* alternative;
    const Image* image;
    bool has_gaps = false;  ///< NaN is missing
};

std::vector<Shown> shown_images(const ComparedImages& images) {
    std::vector<Shown> shown{{"before", "Before", "The noisy image", images.before},
                             {"after", "After", "The denoised image", images.after},
                             {"truth", "Truth", "The clean image", images.truth}};
    if (images.inpainted)
        shown = {{"before", "Before (missing: magenta)", "The incomplete image, magenta where pixels are missing",
                  images.before, /*has_gaps=*/true},
                 {"after", "After", "The completed image", images.after},
                 {"truth", "Truth", "The true image", images.truth}};
    std::erase_if(shown, [](const Shown& one) { return one.image == nullptr; });
    return shown;
}

Scale scale_of(const ComparedImages& images) {
    std::vector<const Image*> by_trust{images.truth, images.after, images.before};
    std::erase(by_trust, nullptr);
    return common_scale(by_trust, /*noisy=*/images.truth == nullptr && images.after == nullptr);
}

// Which two of three are compared.
std::string pair_choice(const std::vector<Shown>& shown) {
    if (shown.size() < 3) return {};
    std::string choice = "<fieldset class=\"pairs\"><legend>Compare</legend>\n";
    const std::size_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (const auto& [left, right] : pairs)
        choice += fmt::format(
            "<label><input type=\"radio\" name=\"pair\" data-left=\"{}\" data-right=\"{}\"{}><span>{} | "
            "{}</span></label>\n",
            shown[left].name, shown[right].name, left + right == 1 ? " checked" : "", shown[left].caption,
            shown[right].caption);
    return choice + "</fieldset>\n";
}

std::string figure(const Shown& shown, Scale scale, std::size_t factor, const char* side) {
    const Image small = mapped(
        shown.has_gaps ? reduced(with_marked_gaps(*shown.image, scale), factor) : reduced(*shown.image, factor), scale);
    return fmt::format(
        "<figure data-name=\"{}\" class=\"{}\"><img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"{}\"><figcaption>{}"
        "</figcaption></figure>\n",
        shown.name, side, shown.alternative, small.width(), small.height(), png_address(small), shown.caption);
}

std::string remark_on(Scale scale, std::size_t factor) {
    const bool as_in_the_file = scale.black == 0.0 && (scale.white == 255.0 || scale.white == 65535.0);
    std::string text;
    if (!as_in_the_file) text = fmt::format(" Black is {}, white is {}.", number(scale.black), number(scale.white));
    text += reduction_text(factor);
    return text.empty() ? text : "<p class=\"remark\">" + text.substr(1) + "</p>\n";
}

}  // namespace

std::string comparison(const ComparedImages& images, std::size_t most_per_side) {
    const std::vector<Shown> shown = shown_images(images);
    const Scale scale = scale_of(images);
    const Image& first = *shown.front().image;
    const std::size_t factor = reduction(first, most_per_side);

    std::string figures;
    for (std::size_t i = 0; i < shown.size(); ++i)
        figures += figure(shown[i], scale, factor, i == 0 ? "left" : i == 1 ? "right" : "");
    const std::string remark = remark_on(scale, factor);
    const std::string shape = fmt::format("--w:{};--h:{}", first.width(), first.height());
    if (shown.size() == 1)
        return fmt::format("<div class=\"single\" style=\"{}\">\n{}</div>\n{}", shape, figures, remark);
    return fmt::format(
        "{}<div class=\"compare\" style=\"{};--split:50%\">\n{}"
        "<input type=\"range\" min=\"0\" max=\"100\" step=\"any\" value=\"50\" "
        "aria-label=\"Share of the left image\">\n<span class=\"handle\"></span>\n</div>\n{}",
        pair_choice(shown), shape, figures, remark);
}

std::string compare(const ReportContent& content) {
    const ComparedImages images{content.before, content.after, content.truth};
    const std::size_t shown = shown_images(images).size();
    if (shown == 0) return {};
    const std::string body = comparison(images, most_pixels_per_side);
    return shown == 1 ? section("compare", "The image", body)
                      : section("compare", "Before and after", divider_hint + body);
}

}  // namespace sbdl::report
