// What the noise was found to be, and its strength over brightness: measured, and as the model has it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>

#include "base/markup.hpp"
#include "plot/html_figure.hpp"
#include "report/sections.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl::report {
namespace {

// Where the model's curve is drawn; it is not straight, since the standard deviation is shown.
constexpr int curve_points = 60;

std::string plane_name(const NoiseFound& noise, std::size_t plane) {
    constexpr std::array<const char*, 3> colours{"red", "green", "blue"};
    return noise.planes.size() == 3 ? colours[plane] : "the image";
}

plot::Hue plane_hue(const NoiseFound& noise, std::size_t plane) {
    constexpr std::array hues{plot::Hue::red, plot::Hue::green, plot::Hue::blue};
    return noise.planes.size() == 3 ? hues[plane] : plot::Hue::blue;
}

plot::Series measured(const NoiseFound& noise, std::size_t p) {
    const PlaneNoise& plane = noise.planes[p];
    plot::Series series;
    series.label = "measured in " + plane_name(noise, p);
    series.hue = noise.planes.size() == 3 ? plane_hue(noise, p) : plot::Hue::orange;
    series.stroke = plot::Stroke::dotted;
    for (std::size_t i = 0; i < plane.brightness.size(); ++i)
        series.points.push_back({plane.brightness[i], std::sqrt(plane.variance[i])});
    return series;
}

plot::Series modelled(const NoiseFound& noise, std::size_t p) {
    const PlaneNoise& plane = noise.planes[p];
    plot::Series series;
    series.label = "fitted to " + plane_name(noise, p);
    series.hue = plane_hue(noise, p);
    for (int i = 0; i <= curve_points; ++i) {
        const double at =
            std::lerp(plane.brightness.front(), plane.brightness.back(), static_cast<double>(i) / curve_points);
        const double counts = std::max(at - plane.offset, 0.0);
        series.points.push_back({at, std::sqrt(plane.gain * counts + plane.read_noise * plane.read_noise)});
    }
    return series;
}

std::string curve(const NoiseFound& noise) {
    if (std::ranges::none_of(noise.planes, &PlaneNoise::grows)) return {};
    plot::Panel panel;
    double darkest = 0.0, brightest = 0.0, strongest = 0.0;
    for (std::size_t p = 0; p < noise.planes.size(); ++p) {
        if (noise.planes[p].brightness.empty()) continue;
        const bool first = panel.series.empty();
        for (const plot::Series& series : {modelled(noise, p), measured(noise, p)}) {
            for (const plot::Point& point : series.points) strongest = std::max(strongest, point.y);
            panel.series.push_back(series);
        }
        darkest = first ? noise.planes[p].brightness.front() : std::min(darkest, noise.planes[p].brightness.front());
        brightest = first ? noise.planes[p].brightness.back() : std::max(brightest, noise.planes[p].brightness.back());
    }
    if (panel.series.empty() || !(brightest > darkest)) return {};
    panel.x = plot::round_axis(darkest, brightest, 8);
    panel.x.name = "brightness";
    panel.y = plot::round_axis(0.0, strongest, 5);
    panel.y.name = "standard deviation of the noise";
    return plot::html_figure({{}, "The standard deviation of the noise over brightness, measured and modelled", panel});
}

}  // namespace

std::string noise(const ReportContent& content) {
    if (content.noise == nullptr || content.noise->sentences.empty()) return {};
    std::string body;
    for (const std::string& sentence : content.noise->sentences) {
        std::string text = sentence;
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
        body += fmt::format("<p>{}.</p>\n", escaped(text));
    }
    return section("noise", "The noise that was found", body + curve(*content.noise));
}

}  // namespace sbdl::report
