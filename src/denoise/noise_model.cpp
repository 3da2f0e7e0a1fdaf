#include "denoise/noise_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "denoise/constant_regions.hpp"
#include "denoise/plane_fits.hpp"

namespace sbdl {
namespace {

constexpr double notable_share = 0.01;  // of clipped samples

/// The share of samples at the ends of the scale. Without read noise the lowest value is a count of zero: that is not
/// clipped.
double clipped_share(const Matrix& plane, const ClipLevels& levels, const PlaneNoise& noise) {
    const bool zero_counts =
        noise.grows && noise.read_noise < 0.25 * noise.gain && levels.low >= noise.offset - noise.gain;
    std::size_t count = 0;
    for (std::size_t i = 0; i < plane.size(); ++i)
        if ((plane.data()[i] == levels.low && !zero_counts) || plane.data()[i] == levels.high) ++count;
    return static_cast<double>(count) / static_cast<double>(plane.size());
}

PlaneNoise described(const Matrix& plane, const VarianceFit& fit, const ClipLevels& levels, bool grows) {
    PlaneNoise noise;
    noise.grows = grows;
    if (grows) {
        noise.gain = fit.noise.gain;
        noise.read_noise = std::sqrt(fit.noise.read_variance);
        noise.offset = fit.noise.offset;
    }
    for (const VarianceFit::Point& point : fit.points) {
        noise.brightness.push_back(point.mean);
        noise.variance.push_back(point.variance);
    }
    noise.clipped = clipped_share(plane, levels, noise);
    return noise;
}

std::string of_planes(const std::vector<PlaneNoise>& planes, double PlaneNoise::*number) {
    std::string text;
    for (const PlaneNoise& plane : planes) text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", plane.*number);
    return text;
}

std::vector<std::string> sentences_of(const NoiseFound& found) {
    std::vector<std::string> sentences;
    if (found.kind == NoiseKind::poisson_gaussian)
        sentences.push_back(fmt::format("the noise grows with brightness: gain {}, read noise {}, offset {}",
                                        of_planes(found.planes, &PlaneNoise::gain),
                                        of_planes(found.planes, &PlaneNoise::read_noise),
                                        of_planes(found.planes, &PlaneNoise::offset)));
    double clipped = 0.0;
    for (const PlaneNoise& plane : found.planes) clipped = std::max(clipped, plane.clipped);
    if (clipped >= notable_share)
        sentences.push_back(fmt::format("{:.0f} % of the samples are clipped at an end of the scale", 100.0 * clipped));
    return sentences;
}

// Where the offset is a guess, the lowest one with the same line takes its place: no brightness is then cut off, and
// the transform is the same.
PoissonGaussian with_least_offset(PoissonGaussian noise) {
    if (noise.gain > 0.0 && noise.intercept() < 0.0) noise = {noise.gain, 0.0, -noise.intercept() / noise.gain};
    return noise;
}

// A plane whose noise was not found to grow takes part with noise of one strength: a gain of 0.
PoissonGaussian as_one_strength(const PoissonGaussian& noise, const Matrix& plane) {
    double sum = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) sum += noise.variance(plane.data()[i]);
    return {0.0, sum / static_cast<double>(plane.size()), 0.0};
}

}  // namespace

NoiseModel find_noise_model(const Image& noisy, const DenoiseOptions& options, int threads,
                            std::vector<std::string>& warnings) {
    const KnownNoise known{options.gain, options.read_noise, options.offset};
    const bool asked = options.noise == NoiseKind::poisson_gaussian || options.gain || options.read_noise;
    NoiseModel model;
    for (const Matrix& plane : noisy.planes)
        model.levels.push_back(find_clip_levels(plane, ConstantRegions({&plane, 1})));
    const bool one_strength = options.noise == NoiseKind::gaussian;
    const std::vector<VarianceFit> fits =
        one_strength ? std::vector<VarianceFit>(noisy.planes.size()) : fit_planes(noisy, known, threads);
    const bool some_line = std::ranges::all_of(fits, [](const VarianceFit& fit) { return fit.noise.gain > 0.0; });
    const bool grows = std::ranges::any_of(fits, [](const VarianceFit& fit) { return fit.grows(); });
    if (asked && !some_line)
        warnings.emplace_back(
            "how the noise grows with brightness cannot be inferred from this image; it is taken to have one strength "
            "(give gain and read noise if you know them)");
    else if (asked && !std::ranges::all_of(fits, [](const VarianceFit& fit) { return fit.found; }))
        warnings.emplace_back(
            "gain and read noise are a rough guess: hardly any part of the image is flat (give them if you know them)");
    const bool stabilised = asked ? some_line : grows;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p) {
        const Matrix& plane = noisy.planes[p];
        const bool plane_grows = stabilised && (asked || fits[p].grows());
        model.found.planes.push_back(described(plane, fits[p], model.levels[p], plane_grows));
        if (!stabilised) continue;
        PoissonGaussian noise = plane_grows ? fits[p].noise : as_one_strength(fits[p].noise, plane);
        if (!options.offset) noise = with_least_offset(noise);
        const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
        model.stabilisers.emplace_back(noise, model.levels[p], *least, *most);
    }
    model.found.kind = stabilised ? NoiseKind::poisson_gaussian : NoiseKind::gaussian;
    model.found.sentences = sentences_of(model.found);
    return model;
}

double mean_noise(const Image& noisy, const NoiseModel& model) {
    double sum = 0.0, count = 0.0;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p) {
        const Matrix& plane = noisy.planes[p];
        for (std::size_t i = 0; i < plane.size(); ++i) sum += model.stabilisers[p].noise().variance(plane.data()[i]);
        count += static_cast<double>(plane.size());
    }
    return std::sqrt(sum / count);
}

}  // namespace sbdl
