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

namespace sbdl::report {
namespace {

constexpr double shown_stds = 3.0;  // standard deviations of the difference, from mid-grey to white

struct Rgb {
    double red, green, blue;
};
// Dark to light in equal steps of lightness, so that it reads the same in grey.
constexpr std::array<Rgb, 5> heat{Rgb{20, 22, 52}, Rgb{48, 76, 132}, Rgb{50, 134, 150}, Rgb{136, 190, 130},
                                  Rgb{250, 240, 176}};

Rgb heat_colour(double share) {
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(heat.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), heat.size() - 2);
    const double rest = place - static_cast<double>(below);
    const Rgb &a = heat[below], &b = heat[below + 1];
    return {a.red + rest * (b.red - a.red), a.green + rest * (b.green - a.green), a.blue + rest * (b.blue - a.blue)};
}

// The same colours for the legend.
std::string heat_gradient() {
    std::string stops;
    for (const Rgb& colour : heat) stops += fmt::format(",rgb({} {} {})", colour.red, colour.green, colour.blue);
    return fmt::format("linear-gradient(to right{})", stops);
}

std::string map_figure(const Image& image, std::string_view alternative, const std::string& legend,
                       const std::string& caption) {
    return fmt::format(
        "<figure style=\"--w:{0};--h:{1}\"><img alt=\"{2}\" width=\"{0}\" height=\"{1}\" src=\"{3}\">{4}<figcaption>{5}"
        "</figcaption></figure>\n",
        image.width(), image.height(), alternative, png_address(image), legend, caption);
}

Image difference_of(const Image& before, const Image& after) {
    Image difference = before;
    difference.samples = Samples::f64;
    for (std::size_t p = 0; p < before.planes.size(); ++p)
        for (std::size_t i = 0; i < before.planes[p].size(); ++i)
            difference.planes[p].data()[i] -= after.planes[p].data()[i];
    return difference;
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
        caption +=
            fmt::format(", the noise found is {}; much less means that noise was left in, more that detail was removed",
                        number(*noise, 3));
    caption += ".";
    caption += reduction_text(factor);
    const std::string legend = fmt::format(
        "<div class=\"scale\"><span>{}</span><i style=\"background:linear-gradient(to right,#000,#fff)\"></i>"
        "<span>{}</span></div>",
        number(-reach, 3), number(reach, 3));
    return map_figure(mapped(small, {-reach, reach}), "What denoising removed, around mid-grey", legend, caption);
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

std::string uncertainty_map(const ReportContent& content) {
    if (content.std == nullptr) return {};
    Image one_plane;
    one_plane.planes.push_back(overall_std(*content.std));
    const std::size_t factor = reduction(one_plane);
    const Image small = reduced(one_plane, factor);
    constexpr double outliers = 0.005;
    const double least = quantile(small, outliers), most = quantile(small, 1.0 - outliers);
    Image coloured;
    coloured.planes.assign(3, Matrix(small.height(), small.width()));
    for (std::size_t i = 0; i < small.planes[0].size(); ++i) {
        const double share = most > least ? (small.planes[0].data()[i] - least) / (most - least) : 0.5;
        const Rgb colour = heat_colour(share);
        coloured.planes[0].data()[i] = colour.red;
        coloured.planes[1].data()[i] = colour.green;
        coloured.planes[2].data()[i] = colour.blue;
    }
    const std::string legend =
        fmt::format("<div class=\"scale\"><span>{}</span><i style=\"background:{}\"></i><span>{}</span></div>",
                    number(least, 3), heat_gradient(), number(most, 3));
    const std::string caption = fmt::format(
        "<strong>Uncertainty.</strong> Standard deviation of each pixel of the denoised image{}: light areas are the "
        "least certain.{}",
        content.std->planes.size() > 1 ? ", over its colours" : "", reduction_text(factor));
    return map_figure(coloured, "Standard deviation of each pixel", legend, caption);
}

}  // namespace

std::string maps(const ReportContent& content) {
    const std::string figures = difference_map(content) + uncertainty_map(content);
    if (figures.empty()) return {};
    return section("maps", "What was removed, and how certain the result is",
                   fmt::format("<div class=\"maps\">\n{}</div>\n", figures));
}

}  // namespace sbdl::report
