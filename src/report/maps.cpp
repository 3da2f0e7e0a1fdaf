// What denoising removed, and the uncertainty of the result.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "report/display_image.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl::report {
namespace {

constexpr double shown_stds = 3.0;  // standard deviations of the difference, from mid-grey to white

// Red, green and blue, from dark to light in equal steps of lightness, so that the map reads the same in grey.
constexpr std::array<std::array<double, 3>, 5> heat{
    {{20, 22, 52}, {48, 76, 132}, {50, 134, 150}, {136, 190, 130}, {250, 240, 176}}};

// One colour plane for a value between 0 (least) and 1 (greatest).
double heat_colour(double share, std::size_t plane) {
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(heat.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), heat.size() - 2);
    const double rest = place - static_cast<double>(below);
    const double a = heat[below][plane], b = heat[below + 1][plane];
    return a + rest * (b - a);
}

// The colours of the legend go from left to right in equal steps.
struct Legend {
    double least, most;
    std::string colours;
};

std::string map_figure(const Image& image, std::string_view alternative, const Legend& legend,
                       const std::string& caption) {
    return fmt::format(
        "<figure style=\"--w:{0};--h:{1}\"><img alt=\"{2}\" width=\"{0}\" height=\"{1}\" src=\"{3}\">"
        "<div class=\"scale\"><span>{4}</span><i style=\"background:linear-gradient(to right{5})\"></i>"
        "<span>{6}</span></div><figcaption>{7}</figcaption></figure>\n",
        image.width(), image.height(), alternative, png_address(image), number(legend.least, 3), legend.colours,
        number(legend.most, 3), caption);
}

Image difference_of(const Image& before, const Image& after) {
    Image difference = before;
    difference.samples = Samples::f64;
    for (std::size_t p = 0; p < before.planes.size(); ++p)
        for (std::size_t i = 0; i < before.planes[p].size(); ++i)
            difference.planes[p].data()[i] -= after.planes[p].data()[i];
    return difference;
}

// Clipping makes the difference smaller, whatever was removed.
bool notably_clipped(const ReportContent& content) {
    constexpr double notable = 0.01;
    return content.noise != nullptr &&
           std::ranges::any_of(content.noise->planes, [](const PlaneNoise& plane) { return plane.clipped >= notable; });
}

double root_mean_square(const Image& image) {
    double sum = 0.0;
    std::size_t values = 0;
    for (const Matrix& plane : image.planes)
        for (std::size_t i = 0; i < plane.size(); ++i, ++values) sum += plane.data()[i] * plane.data()[i];
    return std::sqrt(sum / static_cast<double>(values));
}

std::string difference_map(const ReportContent& content) {
    if (content.before == nullptr || content.after == nullptr) return {};
    const Image difference = difference_of(*content.before, *content.after);
    const std::size_t factor = reduction(difference);
    const Image small = reduced(difference, factor);
    const double spread = root_mean_square(small);
    const double reach = spread > 0.0 ? shown_stds * spread : 1.0;
    std::string caption = fmt::format(
        "<strong>Before − after.</strong> It should look like noise: edges or textures in it were lost. Its root mean "
        "square is {}",
        number(root_mean_square(difference), 3));
    if (const std::optional<double> noise = image_noise(content))
        caption += fmt::format(", the noise found is {}; {}more means that detail was removed", number(*noise, 3),
                               notably_clipped(content) ? "clipping makes it less, and much "
                                                        : "much less means that noise was left in, ");
    caption.append(".").append(reduction_text(factor));
    return map_figure(mapped(small, {-reach, reach}), "What denoising removed, around mid-grey",
                      {-reach, reach, ",#000,#fff"}, caption);
}

// Colours share one map: the root mean square of their standard deviations.
Matrix overall_std(const Image& of_colours) {
    Matrix overall(of_colours.height(), of_colours.width());
    for (std::size_t i = 0; i < overall.size(); ++i) {
        double sum = 0.0;
        for (const Matrix& plane : of_colours.planes) sum += plane.data()[i] * plane.data()[i];
        overall.data()[i] = std::sqrt(sum / static_cast<double>(of_colours.planes.size()));
    }
    return overall;
}

/// `what` the image is: "denoised".
std::string uncertainty_map(const Image& std, std::string_view what) {
    Image one_plane;
    one_plane.planes.push_back(overall_std(std));
    const std::size_t factor = reduction(one_plane);
    const Image small = reduced(one_plane, factor);
    constexpr double outliers = 0.005;
    const double least = quantile(small, outliers), most = quantile(small, 1.0 - outliers);
    Image coloured;
    coloured.planes.assign(3, Matrix(small.height(), small.width()));
    for (std::size_t i = 0; i < small.planes[0].size(); ++i) {
        const double share = most > least ? (small.planes[0].data()[i] - least) / (most - least) : 0.5;
        for (std::size_t p = 0; p < 3; ++p) coloured.planes[p].data()[i] = heat_colour(share, p);
    }
    Legend legend{least, most, {}};
    for (const auto& [red, green, blue] : heat) legend.colours += fmt::format(",rgb({} {} {})", red, green, blue);
    const std::string caption = fmt::format(
        "<strong>Uncertainty.</strong> Standard deviation of each pixel of the {} image{}: light areas are the "
        "least certain.{}",
        what, std.planes.size() > 1 ? ", over its colours" : "", reduction_text(factor));
    return map_figure(coloured, "Standard deviation of each pixel", legend, caption);
}

std::string maps_section(std::string_view heading, const std::string& figures) {
    return section("maps", heading, fmt::format("<div class=\"maps\">\n{}</div>\n", figures));
}

}  // namespace

std::string maps(const ReportContent& content) {
    const std::string figures =
        difference_map(content) + (content.std != nullptr ? uncertainty_map(*content.std, "denoised") : "");
    return figures.empty() ? "" : maps_section("What was removed, and how certain the result is", figures);
}

std::string inpainted_certainty(const Image& std) {
    return maps_section("How certain the result is", uncertainty_map(std, "completed"));
}

}  // namespace sbdl::report
