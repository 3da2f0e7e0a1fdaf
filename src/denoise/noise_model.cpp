#include "denoise/noise_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "denoise/constant_regions.hpp"
#include "denoise/plane_fits.hpp"
#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr double notable_share = 0.01;      // of clipped samples
constexpr double least_noise_share = 1e-4;  // of the range of a plane: the least noise that it is taken to have
constexpr double clear_significance = 3.0;  // of a gain that was asked for
constexpr double beyond_doubt = 30.0;       // of the gain of one colour
constexpr std::size_t block_side = 8, brightnesses = 64;  // at which the noise of the transformed image is computed
// The excess of that noise over 1 that is worth correcting. A smaller correction loses as much in bright parts as it
// gains in dark ones: on training photographs of 10 counts with read noise of 2 it is 0.02 to 0.03, of 5 counts 0.04 to
// 0.05.
constexpr double notable_excess = 0.035;

/// The share of samples at the ends of the scale. Counts of zero are not clipped.
double clipped_share(const Matrix& plane, const ClipLevels& levels, bool zero_counts = false) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < plane.size(); ++i)
        if ((plane.data()[i] == levels.low && !zero_counts) || plane.data()[i] == levels.high) ++count;
    return static_cast<double>(count) / static_cast<double>(plane.size());
}

/// `model` is empty if no plane grows.
PlaneNoise described(const Matrix& plane, const VarianceFit& fit, const ClipLevels& levels,
                     const std::optional<PoissonGaussian>& model, bool grows) {
    PlaneNoise noise;
    noise.grows = grows;
    if (model) {
        noise.gain = model->gain;
        noise.read_noise = std::sqrt(model->read_variance);
        noise.offset = model->offset;
    }
    for (const VariancePoint& point : fit.points) {
        noise.brightness.push_back(point.mean);
        noise.variance.push_back(point.variance);
    }
    const bool no_read_noise = grows && noise.read_noise < 0.25 * noise.gain;
    noise.clipped = clipped_share(plane, levels, no_read_noise && levels.low >= noise.offset - noise.gain);
    return noise;
}

// A plane whose noise was not found to grow takes part with noise of one strength: a gain of 0.
PoissonGaussian as_one_strength(const VarianceFit& fit, const Matrix& plane) {
    if (fit.one_variance) return {0.0, *fit.one_variance, 0.0};
    double sum = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) sum += fit.noise.variance(plane.data()[i]);
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    const double least_sd =
        *most > *least ? least_noise_share * (*most - *least) : 1.0;  // a unit is needed in any case
    return {0.0, std::max(sum / static_cast<double>(plane.size()), least_sd * least_sd), 0.0};
}

// In 8-bit images, white noise near the ends of the scale sometimes seems to grow in one colour. Growth is therefore
// believed only if all colours together, two of them, or one beyond doubt show it.
void reject_lone_colour(const Image& noisy, int threads, std::vector<VarianceFit>& fits) {
    const auto grows = [](const VarianceFit& fit) { return fit.grows(); };
    if (fits.size() == 1 || std::ranges::count_if(fits, grows) != 1) return;
    const auto lone = std::ranges::find_if(fits, grows);
    if (lone->significance < beyond_doubt)
        *lone = fit_one_strength(noisy.planes[static_cast<std::size_t>(lone - fits.begin())], threads);
}

/// The brightness of the image, without much of its noise, in increasing order.
std::vector<double> sorted_block_means(const Matrix& plane) {
    std::vector<double> means;
    for (std::size_t top = 0; top + block_side <= plane.rows(); top += block_side)
        for (std::size_t left = 0; left + block_side <= plane.cols(); left += block_side) {
            double sum = 0.0;
            for (std::size_t row = top; row < top + block_side; ++row)
                for (std::size_t col = left; col < left + block_side; ++col) sum += plane(row, col);
            means.push_back(sum / (block_side * block_side));
        }
    std::ranges::sort(means);
    return means;
}

void check_offset(const Image& noisy, const DenoiseOptions& options) {
    if (!options.offset) return;
    double most = -std::numeric_limits<double>::infinity();
    for (const Matrix& plane : noisy.planes)
        most = std::max(most, *std::max_element(plane.data(), plane.data() + plane.size()));
    if (*options.offset >= most)
        throw InputError(
            fmt::format("{} is {}, must be below the largest value of the image, {}: there would be no light in it",
                        option_name("offset"), *options.offset, most));
}

}  // namespace

NoiseModel find_noise_model(const Image& noisy, const DenoiseOptions& options, int threads,
                            std::vector<std::string>& warnings) {
    const KnownNoise known{options.gain, options.read_noise, options.offset};
    const bool asked = options.noise == NoiseKind::poisson_gaussian || options.gain || options.read_noise;
    check_offset(noisy, options);
    NoiseModel model;
    for (const Matrix& plane : noisy.planes)
        model.levels.push_back(find_clip_levels(plane, ConstantRegions({&plane, 1})));
    std::vector<VarianceFit> fits;
    if (options.noise == NoiseKind::gaussian)
        for (const Matrix& plane : noisy.planes) fits.push_back(fit_one_strength(plane, threads));
    else
        fits = fit_planes(noisy, known, threads);
    // The line that was asked for is used in any case, and noise that is shared is found afterwards.
    if (options.noise == NoiseKind::automatic && !asked) {
        reject_lone_colour(noisy, threads, fits);
        if (options.recipe == Recipe::standard) fit_correlated_planes(noisy, known, threads, fits);
    }
    const bool some_line = std::ranges::all_of(fits, [](const VarianceFit& fit) { return fit.noise.gain > 0.0; });
    const bool grows = std::ranges::any_of(fits, [](const VarianceFit& fit) { return fit.grows(); });
    const auto chance = [](const VarianceFit& fit) { return fit.significance < clear_significance; };
    if (asked && !some_line)
        warnings.emplace_back(
            "how the noise grows with brightness cannot be inferred from this image; it is taken to have one strength "
            "(give gain and read noise if you know them)");
    else if (asked && !std::ranges::all_of(fits, [](const VarianceFit& fit) { return fit.found; }))
        warnings.emplace_back(
            "gain and read noise are a rough guess: hardly any part of the image is flat (give them if you know them)");
    else if (asked && !options.gain && std::ranges::any_of(fits, chance))
        warnings.emplace_back(
            "gain and read noise are a rough guess: the image shows no clear growth of the noise with brightness (give "
            "them if you know them)");
    const bool stabilised = asked ? some_line : grows;
    if (std::ranges::any_of(fits, [](const VarianceFit& fit) { return fit.mostly_clipped; }))
        warnings.emplace_back(
            "most of the noise is clipped at the ends of the scale: what was found about it is uncertain (give gain "
            "and read noise if you know them)");
    for (std::size_t p = 0; p < noisy.planes.size(); ++p) {
        const Matrix& plane = noisy.planes[p];
        const bool plane_grows = stabilised && (asked || fits[p].grows());
        std::optional<PoissonGaussian> noise;
        if (stabilised) noise = plane_grows ? fits[p].noise : as_one_strength(fits[p], plane);
        model.found.planes.push_back(described(plane, fits[p], model.levels[p], noise, plane_grows));
        if (!stabilised) continue;
        if (!options.offset) noise = noise->with_least_offset();
        const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
        model.stabilisers.emplace_back(*noise, model.levels[p], *least, *most);
    }
    if (!stabilised)
        for (const VarianceFit& fit : fits)
            model.unclipped_sd.push_back(fit.one_variance ? std::optional(std::sqrt(*fit.one_variance)) : std::nullopt);
    model.found.kind = stabilised ? NoiseKind::poisson_gaussian : NoiseKind::gaussian;
    model.found.offset_assumed = stabilised && !options.offset && !options.read_noise;
    return model;
}

std::vector<std::optional<Stabiliser>> clipping_of(const Image& noisy, const std::vector<std::optional<double>>& sd) {
    std::vector<std::optional<Stabiliser>> found;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p) {
        const Matrix& plane = noisy.planes[p];
        const ClipLevels levels = find_clip_levels(plane, ConstantRegions({&plane, 1}));
        found.emplace_back();
        if (!sd[p] || !(*sd[p] > 0.0) || clipped_share(plane, levels) < notable_share) continue;
        const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
        found.back().emplace(PoissonGaussian{0.0, *sd[p] * *sd[p], 0.0}, levels, *least, *most);
    }
    return found;
}

// Brightnesses are weighted by the variance of their noise, since errors are as large as the noise.
double transformed_noise(const Image& noisy, const NoiseModel& model) {
    double sum = 0.0, weights = 0.0;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p) {
        const std::vector<double> means = sorted_block_means(noisy.planes[p]);
        for (std::size_t k = 0; k < brightnesses && !means.empty(); ++k) {
            const double mean = means[(2 * k + 1) * means.size() / (2 * brightnesses)];
            const double sd = model.stabilisers[p].noise_sd(mean), weight = model.stabilisers[p].noise().variance(mean);
            sum += weight * sd * sd;
            weights += weight;
        }
    }
    const double sd = weights > 0.0 ? std::sqrt(sum / weights) : 1.0;
    return sd > 1.0 + notable_excess ? sd : 1.0;
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
