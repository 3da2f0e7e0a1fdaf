#include "denoise/variance_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "denoise/constant_regions.hpp"
#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t finest = 10;             // coefficients (i, j) with i + j at least this measure the noise
constexpr std::size_t finest_count = 15;       // number of these
constexpr std::size_t first_middle = 4;        // of the others, those with i + j at least this are the middle ones
constexpr std::size_t coarsest_count = 9;      // number of the remaining ones, without the mean
constexpr std::size_t most_measured = 80'000;  // windows
constexpr std::size_t fewest_measured = 200;   // windows that a line is fitted to
constexpr std::size_t windows_per_bin = 200, fewest_bins = 4, most_bins = 32, points_shown = 24;
constexpr double quietest_share = 0.1;              // of the windows of a bin, for the first line
constexpr double too_noisy = 0.05, too_calm = 0.2;  // relative distances from the first line that halve the weight
constexpr double least_share = 1e-3;                // of the median variance; the line is not taken to be lower
constexpr double least_left = 0.25;                 // windows that have lost more of their variance are not used
// A gain is believed if it is this many standard deviations above 0 and makes the noise differ by this factor between
// the darkest and the brightest 2 % of the windows. White noise on eleven training images gave at most 12 and 1.10, or
// 3 and 1.15 (docs/results/real-noise.md).
constexpr double least_significance = 6.0, least_ratio = 1.15;
// The squares of windows with shading must scatter about the line like noise; those of textures scatter more. Poisson
// noise on 22 training images and their parts gave less than 1.25 in 9 of 10 cases, textures that a line fits 2.6 to 6.
constexpr double most_scatter = 1.25;
constexpr double dark_share = 0.02, darkest_share = 0.001;
constexpr double clear_offset = 3.0;  // standard deviations by which the intercept is negative

struct Measured {
    double mean;
    double coarse, fine;  // mean squares of coefficients: all but the finest, and the finest
    double middle = 0.0;  // of the coarse ones, those that shading does not reach
};

Measured measure(const Matrix& plane, std::size_t row, std::size_t col, const DctBasis& basis) {
    const WindowDct coefficients = window_dct(plane, row, col, basis);
    Measured window{coefficients[0][0] / dct_side, 0.0, 0.0};
    for (std::size_t j = 0; j < dct_side; ++j)
        for (std::size_t k = j == 0 ? 1 : 0; k < dct_side; ++k) {
            const double square = coefficients[j][k] * coefficients[j][k];
            (j + k < finest ? window.coarse : window.fine) += square;
            if (j + k >= first_middle && j + k < finest) window.middle += square;
        }
    constexpr std::size_t coarse_count = dct_side * dct_side - 1 - finest_count;
    window.coarse /= coarse_count;
    window.middle /= coarse_count - coarsest_count;
    window.fine /= finest_count;
    return window;
}

struct MeasuredWindows {
    std::vector<Measured> list;  // in order of their mean
    std::size_t stride = 1;
};

MeasuredWindows measure_all(const Matrix& plane, const ConstantRegions& constant, int threads) {
    const DctBasis basis = dct_basis();
    const std::size_t down = plane.rows() - dct_side + 1, across = plane.cols() - dct_side + 1;
    MeasuredWindows result;
    while ((down / result.stride) * (across / result.stride) > most_measured) ++result.stride;
    std::vector<std::vector<Measured>> rows((down + result.stride - 1) / result.stride);
    parallel_for(rows.size(), threads, [&](std::size_t number, int) {
        const std::size_t row = number * result.stride;
        for (std::size_t col = 0; col < across; col += result.stride)
            if (!constant.overlapped_by(row, col)) rows[number].push_back(measure(plane, row, col, basis));
    });
    for (const std::vector<Measured>& row : rows) result.list.insert(result.list.end(), row.begin(), row.end());
    std::sort(result.list.begin(), result.list.end(), [](const Measured& a, const Measured& b) {
        return std::tie(a.mean, a.coarse, a.fine) < std::tie(b.mean, b.coarse, b.fine);
    });
    return result;
}

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

double quantile_mean(std::span<const Measured> sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))].mean;
}

class VarianceFitter {
public:
    /// `power` tells which windows are quiet.
    VarianceFitter(const MeasuredWindows& windows, double Measured::*power, const KnownNoise& known,
                   const ClipLevels& levels)
        : windows_(windows.list),
          power_(power),
          stride_(windows.stride),
          known_(known),
          levels_(levels),
          centre_(quantile_mean(windows.list, 0.5)) {}

    VarianceFit run() {
        first_line();
        const std::pair<double, double> first{gain_, intercept_};
        constexpr int rounds = 15;
        for (int i = 0; i < rounds; ++i)
            if (!next_line()) {
                std::tie(gain_, intercept_) = first;
                result_.found = false;
                break;
            }
        if (result_.points.empty()) show(quiet_points_);
        split_intercept();
        const double dark = variance_at(quantile_mean(windows_, dark_share));
        const double bright = variance_at(quantile_mean(windows_, 1.0 - dark_share));
        result_.sd_ratio = std::sqrt(bright / dark);
        return std::move(result_);
    }

    /// Whether the windows that the line was fitted to differ from it by no more than noise explains.
    [[nodiscard]] bool like_noise() const { return scatter_ <= most_scatter; }

private:
    [[nodiscard]] double variance_at(double mean) const { return std::max(gain_ * mean + intercept_, least_); }

    // The quietest windows of each brightness. The image can only add to the noise: points above the line count little.
    void first_line() {
        const std::size_t bins = std::clamp(windows_.size() / windows_per_bin, fewest_bins, most_bins);
        for (std::size_t bin = 0; bin < bins; ++bin) {
            const std::size_t begin = bin * windows_.size() / bins, end = (bin + 1) * windows_.size() / bins;
            std::vector<Measured> here(windows_.begin() + static_cast<std::ptrdiff_t>(begin),
                                       windows_.begin() + static_cast<std::ptrdiff_t>(end));
            std::sort(here.begin(), here.end(), [this](const Measured& a, const Measured& b) {
                return std::tie(a.*power_, a.fine) < std::tie(b.*power_, b.fine);
            });
            here.resize(std::max(static_cast<std::size_t>(quietest_share * static_cast<double>(here.size())),
                                 std::min<std::size_t>(here.size(), 20)));
            quiet_points_.push_back(mean_of(here));
        }
        std::vector<double> variances;
        for (const VarianceFit::Point& point : quiet_points_) variances.push_back(point.variance);
        std::nth_element(variances.begin(), variances.begin() + static_cast<std::ptrdiff_t>(bins / 2), variances.end());
        least_ = least_share * variances[bins / 2];
        std::vector<double> weights;
        for (const VarianceFit::Point& point : quiet_points_)
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
                const double scale = off > 0.0 ? too_noisy : too_calm;
                weights[k] = 1.0 / (expected_here * expected_here * (1.0 + off * off / (scale * scale)));
            }
        }
    }

    // The line through all windows that noise of the present line explains. False if they are too few.
    bool next_line() {
        const PoissonGaussian present = model();
        const ClippedNoise clipped(present, levels_, windows_.front().mean, windows_.back().mean);
        const double mean_error = std::max(present.read_variance, 0.0) / (dct_side * dct_side);
        LineFit fit(known_, centre_);
        std::vector<Measured> used;
        for (const Measured& window : windows_) {
            const ClippedNoise::Moments moments = clipped.at(window.mean);
            const double variance = std::max(levels_.unclipped() ? variance_at(window.mean) : moments.variance, least_);
            const double left = levels_.unclipped() ? variance : std::max(moments.left, least_);
            if (window.*power_ > left || left < least_left * variance) continue;
            const double before_clipping = window.fine * variance / left;
            fit.add(moments.mean, before_clipping, 1.0 / (variance * variance), mean_error);
            used.push_back({moments.mean, 0.0, before_clipping});
        }
        if (used.size() < fewest_measured) return false;
        const auto [gain, intercept] = fit.line();
        if (!std::isfinite(gain) || !std::isfinite(intercept)) return false;
        gain_ = gain;
        intercept_ = intercept;
        scatter_ = scatter_of(used);
        // Windows a few pixels apart share most of their pixels; half their side apart they are nearly independent.
        const double apart = static_cast<double>(std::min(stride_, dct_side / 2)) / (dct_side / 2.0);
        const double relative_variance = 2.0 / (finest_count * apart * apart);
        const auto [gain_variance, intercept_variance] = fit.errors();
        result_.significance = gain_variance > 0.0 ? gain_ / std::sqrt(relative_variance * gain_variance) : 0.0;
        intercept_error_ = std::sqrt(relative_variance * intercept_variance);
        result_.found = true;
        show_bins(used);
        return true;
    }

    // How far the windows are from the line, relative to what noise of the line makes them differ: a variance of 2 / 15
    // from 15 squares of Gaussian numbers, and what the fourth cumulant of Poisson noise adds.
    [[nodiscard]] double scatter_of(std::span<const Measured> used) const {
        const PoissonGaussian noise = model();
        double sum = 0.0;
        for (const Measured& window : used) {
            const double variance = variance_at(window.mean), off = window.fine / variance - 1.0;
            const double of_light = gain_ * std::max(window.mean - noise.offset, 0.0) / variance;
            sum += off * off / (2.0 / finest_count + of_light * gain_ * gain_ / (dct_side * dct_side * variance));
        }
        return sum / static_cast<double>(used.size());
    }

    [[nodiscard]] PoissonGaussian model() const {
        PoissonGaussian noise{gain_, 0.0, known_.offset.value_or(0.0)};
        if (!known_.offset && gain_ > 0.0) noise.offset = std::max(0.0, -intercept_ / gain_);
        noise.read_variance = std::max(intercept_ + gain_ * noise.offset, 0.0);
        return noise;
    }

    void split_intercept() {
        result_.noise = model();
        if (known_.read_noise) result_.noise.read_variance = *known_.read_noise * *known_.read_noise;
        if (known_.offset || known_.read_noise || gain_ <= 0.0) return;
        if (intercept_ > -clear_offset * intercept_error_ && intercept_ < 0.0) {
            result_.noise.offset = 0.0;  // no more than chance
        } else if (intercept_ < 0.0) {
            const double darkest = quantile_mean(windows_, darkest_share);
            result_.noise.offset = std::max(result_.noise.offset, darkest);
            result_.noise.read_variance = std::max(intercept_ + gain_ * result_.noise.offset, 0.0);
        }
    }

    static VarianceFit::Point mean_of(std::span<const Measured> windows) {
        VarianceFit::Point point{0.0, 0.0};
        for (const Measured& window : windows) {
            point.mean += window.mean / static_cast<double>(windows.size());
            point.variance += window.fine / static_cast<double>(windows.size());
        }
        return point;
    }

    void show(std::vector<VarianceFit::Point> points) { result_.points = std::move(points); }

    void show_bins(std::span<const Measured> used) {
        std::vector<VarianceFit::Point> points;
        for (std::size_t bin = 0; bin < points_shown; ++bin) {
            const std::size_t begin = bin * used.size() / points_shown, end = (bin + 1) * used.size() / points_shown;
            points.push_back(mean_of(used.subspan(begin, end - begin)));
        }
        show(std::move(points));
    }

    std::span<const Measured> windows_;
    double Measured::*power_;
    std::size_t stride_;
    const KnownNoise& known_;
    const ClipLevels& levels_;
    double centre_;
    double gain_ = 0.0, intercept_ = 0.0, least_ = 0.0, intercept_error_ = 0.0, scatter_ = 0.0;
    std::vector<VarianceFit::Point> quiet_points_;
    VarianceFit result_;
};

}  // namespace

bool VarianceFit::grows() const {
    return found && noise.gain > 0.0 && significance >= least_significance && sd_ratio >= least_ratio;
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
    const MeasuredWindows windows = measure_all(plane, constant, threads);
    if (windows.list.size() < fewest_measured) return {};
    const ClipLevels levels = find_clip_levels(plane, constant);
    VarianceFit fit = VarianceFitter(windows, &Measured::coarse, known, levels).run();
    if (fit.grows()) return fit;
    // Where hardly anything is flat but the background, the quiet windows have nearly one brightness. Windows with
    // shading have many.
    VarianceFitter with_shading(windows, &Measured::middle, known, levels);
    VarianceFit shaded = with_shading.run();
    return shaded.grows() && with_shading.like_noise() ? shaded : fit;
}

}  // namespace sbdl
