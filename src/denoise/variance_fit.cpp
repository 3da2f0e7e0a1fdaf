#include "denoise/variance_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "denoise/clipped_search.hpp"
#include "denoise/constant_regions.hpp"
#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t fewest_measured = 200;  // windows that a line is fitted to
constexpr std::size_t points_shown = 24;
constexpr double too_noisy = 0.05, too_quiet = 0.2;  // relative distances from the first line that halve the weight
constexpr double least_share = 1e-3;                 // of the median variance; the line is not taken to be lower
// A gain is believed if it is this many standard deviations above 0 and makes the noise differ by this factor between
// the darkest and the brightest 2 % of the windows. White noise on eleven training images gave at most 12 and 1.10, or
// 3 and 1.15 (docs/results/real-noise.md).
constexpr double least_significance = 6.0, least_ratio = 1.15;
constexpr double significance_if_clipped = 3.0, ratio_if_clipped = 1.04;  // where hardly any noise is left
// The squares of windows with shading must scatter about the line like noise; those of textures scatter more. Poisson
// noise on 22 training images and their parts gave less than 1.25 in 9 of 10 cases, textures that a line fits 2.6 to 6.
constexpr double most_scatter = 1.25;
// Windows that are as quiet as the line says hold little but noise, and scatter if that is not white: few windows of
// blurred noise, or of noise after strong JPEG compression, seem quiet, and these lie anywhere. On training photographs
// in 8 bits, noise that grows gave at most 1.1, and 1.4 to 2.7 as JPEG of quality 75; noise of one strength that was
// taken to grow gave 3.9 to 6 when blurred, and 2.6 to 3.6 as JPEG (docs/results/real-noise.md).
constexpr double most_scatter_of_quiet = 2.4;
constexpr double most_disagreement = 0.3;  // of their means with the curves of clipped noise
// Of the gain from the distance between two counts; of the samples that are clipped, below which a line may be better
// than the curve of clipped noise; and of its scatter from that of the curve.
constexpr double gain_of_counts = 0.15, few_clipped = 0.01, less_scatter = 0.8;
constexpr double dark_share = 0.02, darkest_share = 0.001;
constexpr double clear_offset = 3.0;  // standard deviations by which the intercept is negative

/// variance = gain * mean + intercept, with what is known kept.
class LineFit {
public:
    LineFit(const KnownNoise& known, double centre) : known_(known), centre_(centre) {}

    /// `mean_error` is the variance of a window's mean about the brightness that its Gaussian noise does not depend on:
    /// it would make the line too flat.
    void add(double mean, double variance, double weight, double mean_error) {
        const double x = mean - centre_;
        weight_ += weight;
        x_ += weight * x;
        xx_ += weight * (x * x - mean_error);
        y_ += weight * variance;
        xy_ += weight * x * variance;
    }

    [[nodiscard]] std::pair<double, double> line() const {
        if (known_.gain) return {*known_.gain, y_ / weight_ - *known_.gain * (x_ / weight_ + centre_)};
        if (known_.read_noise) {  // through the variance without light
            const double dark = known_.offset.value_or(0.0) - centre_, least = *known_.read_noise * *known_.read_noise;
            const double spread = xx_ - 2.0 * dark * x_ + dark * dark * weight_;
            const double gain = std::max((xy_ - dark * y_ - least * (x_ - dark * weight_)) / spread, 0.0);
            return {gain, least - gain * (dark + centre_)};
        }
        const double gain = determinant() > 0.0 ? (weight_ * xy_ - x_ * y_) / determinant() : 0.0;
        if (!(gain > 0.0)) return {0.0, y_ / weight_};
        return {gain, (y_ - gain * x_) / weight_ - gain * centre_};
    }

    /// Variances of gain and intercept, if the values have the variance 1 / weight.
    [[nodiscard]] std::pair<double, double> errors() const {
        if (!(determinant() > 0.0)) return {0.0, 0.0};
        const double at_zero = xx_ + 2.0 * centre_ * x_ + centre_ * centre_ * weight_;
        return {weight_ / determinant(), at_zero / determinant()};
    }

private:
    [[nodiscard]] double determinant() const { return weight_ * xx_ - x_ * x_; }

    const KnownNoise& known_;
    double centre_;
    double weight_ = 0.0, x_ = 0.0, xx_ = 0.0, y_ = 0.0, xy_ = 0.0;
};

class VarianceFitter {
public:
    /// `power` tells which windows are quiet.
    VarianceFitter(const NoiseWindows& windows, double NoiseWindow::*power, const KnownNoise& known,
                   const ClipLevels& levels)
        : windows_(windows), power_(power), known_(known), levels_(levels), centre_(windows.brightness(0.5)) {}

    VarianceFit run() {
        quiet_points_ = quietest(windows_, power_);
        std::vector<double> variances;
        for (const VariancePoint& point : quiet_points_) variances.push_back(point.variance);
        const auto median = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
        std::nth_element(variances.begin(), median, variances.end());
        least_ = least_share * *median;
        if (!fit_curve()) fit_line();
        if (result_.points.empty()) result_.points = quiet_points_;
        split_intercept();
        result_.sd_ratio = std::sqrt(variance_at(bright_) / variance_at(dark_));
        return result_;
    }

    /// Whether the windows that the line was fitted to differ from it by no more than noise explains.
    [[nodiscard]] bool like_noise() const {
        return result_.scatter <= most_scatter && disagreement_ <= most_disagreement;
    }

private:
    [[nodiscard]] double variance_at(double mean) const { return std::max(gain_ * mean + intercept_, least_); }

    // If samples are clipped; false if not, or if a line is all there is.
    bool fit_curve() {
        if (levels_.unclipped()) return false;
        std::optional<ClippedSearchResult> found = search_clipped(windows_, power_, known_, levels_);
        if (!found) return false;
        gain_ = found->line.gain;
        intercept_ = found->line.intercept;
        result_.scatter = found->scatter;
        disagreement_ = found->disagreement;
        intercept_error_ = found->intercept_sd;
        dark_ = found->dark;
        bright_ = found->bright;
        result_.found = true;
        result_.mostly_clipped = found->mostly_clipped;
        result_.significance = found->gain_sd > 0.0 ? gain_ / found->gain_sd : 0.0;
        result_.points = std::move(found->points);
        return true;
    }

    void fit_line() {
        dark_ = windows_.brightness(dark_share);
        bright_ = windows_.brightness(1.0 - dark_share);
        first_line();
        const std::pair<double, double> first{gain_, intercept_};
        constexpr int rounds = 15;
        for (int i = 0; i < rounds; ++i)
            if (!next_line()) {
                std::tie(gain_, intercept_) = first;
                result_.found = false;
                break;
            }
    }

    // Through the quietest windows. The image can only add to the noise: points above the line count little.
    void first_line() {
        const std::size_t bins = quiet_points_.size();
        std::vector<double> weights;
        for (const VariancePoint& point : quiet_points_)
            weights.push_back(1.0 / std::pow(std::max(point.variance, least_), 2));
        constexpr int reweightings = 30;
        for (int i = 0; i < reweightings; ++i) {
            LineFit fit(known_, centre_);
            for (std::size_t k = 0; k < bins; ++k)
                fit.add(quiet_points_[k].mean, quiet_points_[k].variance, weights[k], 0.0);
            std::tie(gain_, intercept_) = fit.line();
            for (std::size_t k = 0; k < bins; ++k) {
                const double expected_here = variance_at(quiet_points_[k].mean);
                const double off = quiet_points_[k].variance / expected_here - 1.0;
                const double scale = off > 0.0 ? too_noisy : too_quiet;
                weights[k] = 1.0 / (expected_here * expected_here * (1.0 + off * off / (scale * scale)));
            }
        }
    }

    // The line through all windows that noise of the present line explains. False if they are too few.
    bool next_line() {
        const double mean_error = std::max(model().read_variance, 0.0) / (dct_side * dct_side);
        LineFit fit(known_, centre_);
        std::vector<NoiseWindow> used;
        for (const NoiseWindow& window : windows_.list) {
            const double variance = variance_at(window.mean);
            if (window.*power_ > variance) continue;
            fit.add(window.mean, window.fine, 1.0 / (variance * variance), mean_error);
            used.push_back({window.mean, 0.0, window.fine});
        }
        if (used.size() < fewest_measured) return false;
        const auto [gain, intercept] = fit.line();
        if (!std::isfinite(gain) || !std::isfinite(intercept)) return false;
        gain_ = gain;
        intercept_ = intercept;
        result_.scatter = scatter_of(used);
        // Windows a few pixels apart share most of their pixels; half their side apart they are nearly independent.
        const double apart = static_cast<double>(std::min(windows_.stride, dct_side / 2)) / (dct_side / 2.0);
        const double relative_variance = 2.0 / (static_cast<double>(windows_.fine_count) * apart * apart);
        const auto [gain_variance, intercept_variance] = fit.errors();
        result_.significance = gain_variance > 0.0 ? gain_ / std::sqrt(relative_variance * gain_variance) : 0.0;
        intercept_error_ = std::sqrt(relative_variance * intercept_variance);
        result_.found = true;
        show_bins(used);
        return true;
    }

    // How far the windows are from the line, relative to what noise of the line makes them differ: a variance of 2 / 15
    // from 15 squares of Gaussian numbers, and what the fourth cumulant of Poisson noise adds.
    [[nodiscard]] double scatter_of(std::span<const NoiseWindow> used) const {
        const PoissonGaussian noise = model();
        double sum = 0.0;
        for (const NoiseWindow& window : used) {
            const double variance = variance_at(window.mean), off = window.fine / variance - 1.0;
            const double of_light = gain_ * std::max(window.mean - noise.offset, 0.0) / variance;
            sum += off * off /
                   (2.0 / static_cast<double>(windows_.fine_count) +
                    of_light * gain_ * gain_ / (dct_side * dct_side * variance));
        }
        return sum / static_cast<double>(used.size());
    }

    [[nodiscard]] PoissonGaussian model() const { return VarianceLine{gain_, intercept_, known_.offset}.noise(); }

    void split_intercept() {
        result_.noise = model();
        if (known_.read_noise) result_.noise.read_variance = *known_.read_noise * *known_.read_noise;
        if (known_.offset || known_.read_noise || gain_ <= 0.0) return;
        if (intercept_ > -clear_offset * intercept_error_ && intercept_ < 0.0) {
            result_.noise.offset = 0.0;  // no more than chance
        } else if (intercept_ < 0.0) {
            const double darkest = windows_.brightness(darkest_share);
            result_.noise.offset = std::max(result_.noise.offset, darkest);
            result_.noise.read_variance = std::max(intercept_ + gain_ * result_.noise.offset, 0.0);
        }
    }

    void show_bins(std::span<const NoiseWindow> used) {
        std::vector<VariancePoint> points;
        for (std::size_t bin = 0; bin < points_shown; ++bin) {
            const std::size_t begin = bin * used.size() / points_shown, end = (bin + 1) * used.size() / points_shown;
            points.push_back(mean_of(used.subspan(begin, end - begin)));
        }
        result_.points = std::move(points);
    }

    const NoiseWindows& windows_;
    double NoiseWindow::*power_;
    const KnownNoise& known_;
    const ClipLevels& levels_;
    double centre_;
    double gain_ = 0.0, intercept_ = 0.0, least_ = 0.0, intercept_error_ = 0.0, disagreement_ = 0.0;
    double dark_ = 0.0, bright_ = 0.0;  // brightness of the darkest and the brightest windows
    std::vector<VariancePoint> quiet_points_;
    VarianceFit result_;
};

std::optional<double> one_variance(const NoiseWindows& windows, const ClipLevels& levels) {
    if (levels.unclipped()) return std::nullopt;
    const KnownNoise no_gain{.gain = 0.0, .read_noise = {}, .offset = {}};
    const auto found = search_clipped(windows, &NoiseWindow::coarse, no_gain, levels);
    return found ? std::optional(found->line.intercept) : std::nullopt;
}

/// The distance between the two smallest values; 0 if there is one only.
double first_step(const Matrix& plane) {
    const double least = *std::min_element(plane.data(), plane.data() + plane.size());
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < plane.size(); ++i)
        if (plane.data()[i] > least) next = std::min(next, plane.data()[i]);
    return std::isinf(next) ? 0.0 : next - least;
}

bool hardly_clipped(const Matrix& plane, const ClipLevels& levels) {
    const auto at_an_end = [&](double value) { return value == levels.low || value == levels.high; };
    const auto count = std::count_if(plane.data(), plane.data() + plane.size(), at_an_end);
    return static_cast<double>(count) < few_clipped * static_cast<double>(plane.size());
}

/// A better fit than the curve of noise that was clipped at both levels, if there is one.
std::optional<VarianceFit> fit_less_clipped(const Matrix& plane, const NoiseWindows& windows, const KnownNoise& known,
                                            const ClipLevels& levels, const VarianceFit& curve) {
    const auto fit = [&](const ClipLevels& other) {
        return VarianceFitter(windows, &NoiseWindow::coarse, known, other).run();
    };
    // The least value may be frequent although nothing was clipped there: few photons are counted in the dark, often
    // none. Then the gain is the distance between two counts.
    if (!std::isinf(levels.low)) {
        const double step = first_step(plane);
        const VarianceFit counts = fit({.low = ClipLevels().low, .high = levels.high});
        if (counts.grows() && counts.scatter <= most_scatter &&
            std::abs(counts.noise.gain - step) <= gain_of_counts * step &&
            counts.noise.read_variance <= 0.25 * step * step)
            return counts;
    }
    if (!curve.grows() || !hardly_clipped(plane, levels)) return std::nullopt;
    const VarianceFit line = fit(ClipLevels());
    const bool better = line.grows() && line.scatter <= most_scatter && line.scatter < less_scatter * curve.scatter;
    return better ? std::optional(line) : std::nullopt;
}

}  // namespace

bool VarianceFit::grows() const {
    if (!found || !like_noise || !(noise.gain > 0.0)) return false;
    if (mostly_clipped) return significance >= significance_if_clipped && sd_ratio >= ratio_if_clipped;
    return significance >= least_significance && sd_ratio >= least_ratio;
}

VarianceFit fit_variance(const Matrix& plane, const KnownNoise& known, int threads) {
    if (known.gain && known.read_noise) {
        VarianceFit fit;
        fit.noise = {*known.gain, *known.read_noise * *known.read_noise, known.offset.value_or(0.0)};
        fit.found = true;
        return fit;
    }
    if (plane.rows() < dct_side || plane.cols() < dct_side) return {};
    const ConstantRegions constant({&plane, 1});
    const ClipLevels levels = find_clip_levels(plane, constant);
    const NoiseWindows windows = noise_windows(plane, constant, levels, threads);
    if (windows.list.size() < fewest_measured) return {};
    VarianceFit fit = VarianceFitter(windows, &NoiseWindow::coarse, known, levels).run();
    fit.like_noise = fit.scatter <= most_scatter_of_quiet;
    if (!levels.unclipped() && !known.gain && !known.read_noise)
        if (const std::optional<VarianceFit> other = fit_less_clipped(plane, windows, known, levels, fit))
            return *other;
    if (fit.grows()) return fit;
    // Where hardly anything is flat but the background, the quiet windows have nearly one brightness. Windows with
    // shading have many.
    VarianceFitter with_shading(windows, &NoiseWindow::middle, known, levels);
    VarianceFit shaded = with_shading.run();
    if (shaded.grows() && with_shading.like_noise()) return shaded;
    fit.one_variance = one_variance(windows, levels);
    return fit;
}

VarianceFit fit_line(const NoiseWindows& windows, const KnownNoise& known) {
    if (windows.list.size() < fewest_measured) return {};
    return VarianceFitter(windows, &NoiseWindow::coarse, known, ClipLevels()).run();
}

VarianceFit fit_one_strength(const Matrix& plane, int threads) {
    VarianceFit fit;
    if (plane.rows() < dct_side || plane.cols() < dct_side) return fit;
    const ConstantRegions constant({&plane, 1});
    const ClipLevels levels = find_clip_levels(plane, constant);
    if (levels.unclipped()) return fit;
    const NoiseWindows windows = noise_windows(plane, constant, levels, threads);
    if (windows.list.size() >= fewest_measured) fit.one_variance = one_variance(windows, levels);
    return fit;
}

}  // namespace sbdl
