#include "denoise/plane_fits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "denoise/correlated_fit.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_looked_at = 100'000;  // samples of a plane
constexpr double least_light_share = 0.001, most_below = 0.005, bright_share = 0.75;
constexpr double clearly_below = 3.0;  // noise standard deviations

std::vector<double> sorted_samples(const Matrix& plane) {
    const std::size_t step = plane.size() / most_looked_at + 1;
    std::vector<double> samples;
    for (std::size_t i = 0; i < plane.size(); i += step) samples.push_back(plane.data()[i]);
    std::ranges::sort(samples);
    return samples;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// In photographs that were demosaicked or compressed the noise of every colour follows the luminance, not the colour
// itself. A line over the colour may then say that there is no light in pixels whose colour is only weak, and all of
// them would become equal. A line from the darkest samples to where most noise is overestimates the noise in the dark,
// which is harmless.
void keep_dark(VarianceFit& fit, const Matrix& plane, const KnownNoise& known) {
    if (!fit.grows() || known.offset || known.read_noise) return;
    const PoissonGaussian noise = fit.noise;
    const double without_light = -noise.intercept() / noise.gain;
    const double margin = clearly_below * std::sqrt(noise.read_variance + noise.gain * noise.gain);
    const std::vector<double> samples = sorted_samples(plane);
    if (quantile(samples, most_below) >= without_light - margin) return;
    const double dark = quantile(samples, least_light_share), bright = quantile(samples, bright_share);
    if (!(bright > without_light)) return;
    fit.noise = {noise.variance(bright) / (bright - dark), 0.0, dark};
}

/// The planes, one below the other. Few windows overlap two of them.
Matrix one_below_the_other(std::span<const Matrix> planes) {
    Matrix all(planes.size() * planes[0].rows(), planes[0].cols());
    double* out = all.data();
    for (const Matrix& plane : planes) out = std::copy_n(plane.data(), plane.size(), out);
    return all;
}

std::size_t number_growing(const std::vector<VarianceFit>& fits) {
    return static_cast<std::size_t>(std::ranges::count_if(fits, [](const VarianceFit& one) { return one.grows(); }));
}

}  // namespace

std::vector<VarianceFit> fit_planes(const Image& noisy, const KnownNoise& known, int threads) {
    const auto fit = [&](const Matrix& plane) {
        VarianceFit found = fit_variance(plane, known, threads);
        keep_dark(found, plane, known);
        return found;
    };
    std::vector<VarianceFit> fits;
    for (const Matrix& plane : noisy.planes) fits.push_back(fit(plane));
    const std::size_t growing = number_growing(fits);
    if (growing == 0 || growing == fits.size()) return fits;
    const VarianceFit common = fit(one_below_the_other(noisy.planes));
    if (common.grows()) fits.assign(fits.size(), common);
    return fits;
}

void fit_correlated_planes(const Image& noisy, const KnownNoise& known, int threads, std::vector<VarianceFit>& fits) {
    if (number_growing(fits) > 0) return;
    const auto fit = [&](const Matrix& plane) {
        VarianceFit found = fit_correlated(plane, known, threads);
        keep_dark(found, plane, known);
        return found;
    };
    std::vector<VarianceFit> found;
    for (const Matrix& plane : noisy.planes) found.push_back(fit(plane));
    const std::size_t growing = number_growing(found);
    if (growing > 0 && growing < found.size()) found.assign(found.size(), fit(one_below_the_other(noisy.planes)));
    if (number_growing(found) == found.size()) fits = std::move(found);
}

}  // namespace sbdl
