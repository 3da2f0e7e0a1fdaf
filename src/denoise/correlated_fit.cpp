#include "denoise/correlated_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "denoise/noise_spectrum.hpp"
#include "denoise/window_room.hpp"

namespace sbdl {
namespace {

constexpr int rounds = 4;          // of spectrum and line; two are enough where there is such noise
constexpr double line_room = 3.0;  // noise standard deviations between the mean of a window and an end of the scale
constexpr double without_light = 1e-3;  // share of the samples that are darker than what is first taken for no light
constexpr double least_power = 1e-6;    // of a coefficient, in units of the variance
// Noise that grows has one spectrum only once it is made equally strong: more windows then agree, by this factor or
// more. Blurred noise of one strength on training images gave a gain of up to 16 standard deviations, but without that
// rise; noise that grows mostly gave more than 20 (docs/results/real-noise.md).
constexpr double least_rise = 1.2, least_clear_gain = 10.0;

WindowDct of_unit_variance(const NoiseSpectrum& spectrum, double variance) {
    WindowDct unit = spectrum.power;
    for (auto& row : unit)
        for (double& power : row) power = std::max(power / variance, least_power);
    return unit;
}

class CorrelatedFitter {
public:
    CorrelatedFitter(const Matrix& plane, const KnownNoise& known, int threads)
        : plane_(plane),
          known_(known),
          threads_(threads),
          constant_(samples()),
          levels_(find_clip_levels(plane, constant_)) {
        const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
        least_ = *least;
        most_ = *most;
    }

    VarianceFit run() {
        const WindowRoom room(samples(), {}, {&levels_, 1});
        const NoiseSpectrum before = estimate_spectrum(plane_, std::cref(room), threads_);
        if (!before.found || !before.enough || before.flat()) return {};
        if (!start_from_light(before.autocovariance().variance())) return {};
        double agreement = std::numeric_limits<double>::infinity();  // in the last two rounds
        VarianceFit fit;
        for (int round = 0; round < rounds; ++round) {
            const NoiseSpectrum spectrum = transformed_spectrum();
            const double variance = spectrum.found ? spectrum.autocovariance().variance() : 0.0;
            if (!(variance > 0.0)) return {};
            fit = line_of(of_unit_variance(spectrum, variance));
            if (!fit.grows()) return {};
            noise_ = fit.noise.with_least_offset();
            if (round < rounds - 2) continue;
            if (!spectrum.correlated()) return {};
            agreement = std::min(agreement, spectrum.used_share);
        }
        return fit.significance >= least_clear_gain && agreement >= least_rise * before.used_share ? fit
                                                                                                   : VarianceFit();
    }

private:
    [[nodiscard]] std::span<const Matrix> samples() const { return {&plane_, 1}; }

    // As if all noise came from the light. False if there is none.
    bool start_from_light(double variance) {
        std::vector<double> sorted(plane_.data(), plane_.data() + plane_.size());
        const auto dark =
            sorted.begin() + static_cast<std::ptrdiff_t>(without_light * static_cast<double>(sorted.size()));
        std::nth_element(sorted.begin(), dark, sorted.end());
        const double offset = *dark;
        double light = 0.0;
        for (std::size_t i = 0; i < plane_.size(); ++i)
            light += (plane_.data()[i] - offset) / static_cast<double>(plane_.size());
        noise_ = {variance / light, 0.0, offset};
        return variance > 0.0 && light > 0.0;
    }

    [[nodiscard]] NoiseSpectrum transformed_spectrum() const {
        const Stabiliser stabiliser(noise_, levels_, least_, most_);
        const WindowRoom room(samples(), {&stabiliser, 1}, {&levels_, 1});
        return estimate_spectrum(stabiliser.forward(plane_), std::cref(room), threads_);
    }

    [[nodiscard]] VarianceFit line_of(const WindowDct& spectrum) const {
        NoiseWindows windows = noise_windows(plane_, constant_, spectrum, threads_);
        std::erase_if(windows.list, [this](const NoiseWindow& window) {
            return levels_.distance(window.mean) < line_room * std::sqrt(noise_.variance(window.mean));
        });
        return fit_line(windows, known_);
    }

    const Matrix& plane_;
    const KnownNoise& known_;
    int threads_;
    ConstantRegions constant_;
    ClipLevels levels_;
    double least_ = 0.0, most_ = 0.0;
    PoissonGaussian noise_;  // of the present line
};

}  // namespace

VarianceFit fit_correlated(const Matrix& plane, const KnownNoise& known, int threads) {
    if (plane.rows() < dct_side || plane.cols() < dct_side) return {};
    return CorrelatedFitter(plane, known, threads).run();
}

}  // namespace sbdl
