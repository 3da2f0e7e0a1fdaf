#include "denoise/noise_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sbdl {
namespace {

constexpr double notable_clipping = 0.01;  // share of the samples

std::string of_planes(const std::vector<PlaneNoise>& planes, double PlaneNoise::*number) {
    std::string text;
    for (const PlaneNoise& plane : planes) text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", plane.*number);
    return text;
}

std::string growing(const NoiseFound& found) {
    return fmt::format("the noise grows with brightness: gain {}, read noise {}, offset {}",
                       of_planes(found.planes, &PlaneNoise::gain), of_planes(found.planes, &PlaneNoise::read_noise),
                       of_planes(found.planes, &PlaneNoise::offset));
}

std::string correlated(const std::vector<double>& correlations) {
    std::string numbers;
    for (const double value : correlations) numbers += fmt::format("{}{:.2f}", numbers.empty() ? "" : ", ", value);
    return fmt::format(
        "the noise of neighbouring pixels is correlated: {}{}; such noise is harder to remove than white noise",
        numbers, correlations.size() > 1 ? " (luminance and two colour differences)" : "");
}

/// How strong the noise is where, and whether neighbours share it.
void add_kind(const NoiseFound& found, std::vector<std::string>& sentences) {
    const bool grows = found.kind == NoiseKind::poisson_gaussian;
    const bool measured = !found.planes.empty() && !found.correlation.empty() && !found.compressed;
    const bool shared = std::ranges::any_of(found.correlation, [](double value) { return value != 0.0; });
    const bool white = measured && !shared && !found.correlation_unknown;
    if (grows)
        sentences.push_back(growing(found));
    else if (measured && white)
        sentences.emplace_back("the noise is white, and equally strong at every brightness");
    else if (measured)
        sentences.emplace_back("the noise is equally strong at every brightness");
    if (grows && white) sentences.emplace_back("the noise is white: neighbouring pixels do not share it");
    if (shared) sentences.push_back(correlated(found.correlation));
    if (measured && !shared && found.correlation_unknown)
        sentences.emplace_back(
            "it is unknown whether the noise of neighbouring pixels is correlated, since the image is small or "
            "clipped; "
            "it is taken to be white");
}

}  // namespace

std::vector<std::string> noise_sentences(const NoiseFound& found, bool any) {
    std::vector<std::string> sentences;
    if (any) add_kind(found, sentences);
    double clipped = 0.0;
    for (const PlaneNoise& plane : found.planes) clipped = std::max(clipped, plane.clipped);
    if (clipped >= notable_clipping)
        sentences.push_back(
            fmt::format("{:.0f} % of the samples are clipped at an end of the scale: brightness is restored there on "
                        "average, but detail is lost",
                        100.0 * clipped));
    if (found.compressed)
        sentences.emplace_back(
            "the image was compressed so strongly (JPEG) that its finest detail is gone, and noise with it: what is "
            "left of the noise cannot be modelled, and little of it is removed");
    if (found.repeats)
        sentences.emplace_back("the image repeats itself exactly, as no image with noise does: it has none");
    if (found.nearly_none) sentences.emplace_back("the image is nearly free of noise; little changes");
    return sentences;
}

}  // namespace sbdl
