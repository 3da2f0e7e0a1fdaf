#include "denoise/noise_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace sbdl {
namespace {

constexpr double notable_clipping = 0.01;  // share of the samples

constexpr std::array<const char*, 3> colour_names{"red", "green", "blue"};

/// The planes whose noise grows, or the others.
struct SomePlanes {
    std::vector<std::string> names;
    std::vector<PlaneNoise> noise;

    SomePlanes(const std::vector<PlaneNoise>& planes, bool grows) {
        for (std::size_t p = 0; p < planes.size(); ++p) {
            if (planes[p].grows != grows) continue;
            names.emplace_back(planes.size() == colour_names.size() ? colour_names[p] : "");
            noise.push_back(planes[p]);
        }
    }
    [[nodiscard]] std::string named() const { return fmt::format("{}", fmt::join(names, " and ")); }
    [[nodiscard]] std::string numbers(double PlaneNoise::*number) const {
        std::string text;
        for (const PlaneNoise& plane : noise) text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", plane.*number);
        return text;
    }
};

std::string growing(const NoiseFound& found) {
    const SomePlanes grow(found.planes, true), others(found.planes, false);
    const std::string line = fmt::format("gain {}, read noise {}, offset {}{}", grow.numbers(&PlaneNoise::gain),
                                         grow.numbers(&PlaneNoise::read_noise), grow.numbers(&PlaneNoise::offset),
                                         found.offset_assumed ? " (the last two are a guess: an image shows only what "
                                                                "they amount to together)"
                                                              : "");
    if (others.noise.empty()) return fmt::format("the noise grows with brightness: {}", line);
    return fmt::format(
        "the noise of {} grows with brightness: {}; that of {} is equally strong at every brightness: standard "
        "deviation {}",
        grow.named(), line, others.named(), others.numbers(&PlaneNoise::read_noise));
}

std::string striped(const NoiseFound& found) {
    const bool rows = found.row_stripes > 0.0, columns = found.column_stripes > 0.0;
    const std::string sizes = rows && columns
                                  ? fmt::format("s {:.3g} and {:.3g}", found.row_stripes, found.column_stripes)
                                  : fmt::format(" {:.3g}", rows ? found.row_stripes : found.column_stripes);
    return fmt::format(
        "whole {} are brighter or darker than their neighbours (standard deviation{}): such stripes cannot be modelled "
        "and stay in the image, its standard deviations do not include them, and what else was found about its noise "
        "is uncertain",
        rows && columns ? "rows and columns"
        : rows          ? "rows"
                        : "columns",
        sizes);
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
    if (found.nowhere_flat)
        sentences.emplace_back(
            "no region of the image is flat: the noise was estimated from parts of it that look alike, and is taken to "
            "be white and equally strong at every brightness");
    else if (grows)
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
            "clipped; it is taken to be white");
}

}  // namespace

std::vector<std::string> noise_sentences(const NoiseFound& found, bool any) {
    std::vector<std::string> sentences;
    if (any && !found.foreign()) add_kind(found, sentences);  // foreign noise misleads what measures the other
    if (found.striped()) sentences.push_back(striped(found));
    if (found.impulses > 0.0)
        sentences.push_back(
            fmt::format("{:.2g} % of the pixels are black or white at random (salt and pepper): such noise cannot be "
                        "modelled, and the result should not be trusted",
                        100.0 * found.impulses));
    double clipped = 0.0;
    for (const PlaneNoise& plane : found.planes) clipped = std::max(clipped, plane.clipped);
    if (clipped >= notable_clipping && found.impulses == 0.0)
        sentences.push_back(
            fmt::format("{:.0f} % of the samples are clipped at an end of the scale: brightness is restored there on "
                        "average, but detail is lost",
                        100.0 * clipped));
    if (found.compressed)
        sentences.emplace_back(
            "the image was compressed so strongly (JPEG) that its finest detail is gone, and noise with it: what is "
            "left of the noise cannot be modelled, and little of it is removed");
    if (found.repeats)
        sentences.emplace_back("the image repeats itself exactly, which no noisy image does: it is free of noise");
    if (found.nearly_none && !found.foreign())
        sentences.emplace_back("the image is nearly free of noise; little changes");
    return sentences;
}

}  // namespace sbdl
