#include "denoise/clipped_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t fewest_fitted = 200;  // windows
constexpr std::size_t points_of_curve = 24;
constexpr double least_kept = 0.05;  // windows that have lost more of their variance are not used
// Where a window of middle brightness has less of its variance left, hardly any noise is left.
constexpr double mostly_lost = 0.4;
constexpr double most_off_above = 0.05, most_off_below = 0.2;  // distances from a first curve that count little
constexpr double share_of_ends = 0.02;                         // of the windows: the darkest, the brightest
constexpr int steps_at_most = 40;
constexpr double settled_change = 1e-5;  // of the variance in one step

class ClippedSearch {
public:
    ClippedSearch(const NoiseWindows& windows, double NoiseWindow::*power, const KnownNoise& known,
                  const ClipLevels& levels)
        : windows_(windows),
          power_(power),
          known_(known),
          levels_(levels),
          quiet_(quietest(windows, power)),
          centre_(windows.brightness(0.5)) {
        std::vector<double> variances;
        for (const VariancePoint& point : quiet_) variances.push_back(point.variance);
        const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
        std::nth_element(variances.begin(), middle, variances.end());
        typical_ = *middle;
    }

    std::optional<ClippedSearchResult> run() {
        if (!(typical_ > 0.0)) return std::nullopt;
        double least = std::numeric_limits<double>::infinity();
        std::optional<VarianceLine> best;
        for (const double share : {0.2, 0.5, 1.0}) {
            const std::optional<VarianceLine> found = fitted(first_line(share));
            const double off = found ? disagreement(*found) : least;
            if (off < least) {
                least = off;
                best = found;
            }
            if (known_.gain) break;
        }
        if (!best) return std::nullopt;
        std::optional<ClippedSearchResult> result = described(*best);
        if (result) result->disagreement = least;
        return result;
    }

private:
    [[nodiscard]] ClippedStep step_from(const VarianceLine& line, ShownBy shown) const {
        const double chosen_by = power_ == &NoiseWindow::middle ? NoiseWindow::middle_count : NoiseWindow::coarse_count;
        return {known_, line, levels_, windows_.list.front().mean, windows_.list.back().mean, chosen_by, shown};
    }

    // A line with this share of the variance from the light, for the quietest windows of each brightness.
    [[nodiscard]] VarianceLine first_line(double share) const {
        double best = std::numeric_limits<double>::infinity();
        VarianceLine chosen;
        for (const double times : {1.0, 1.3, 1.7, 2.2, 2.9, 3.8, 5.0, 7.0}) {
            VarianceLine line{0.0, 0.0, known_.offset};
            const double light = centre_ - known_.offset.value_or(0.0);
            line.gain = known_.gain ? *known_.gain : light > 0.0 ? share * times * typical_ / light : 0.0;
            line.intercept = known_.read_noise
                                 ? *known_.read_noise * *known_.read_noise - line.gain * known_.offset.value_or(0.0)
                                 : times * typical_ - line.gain * centre_;
            const ClippedStep step = step_from(line, ShownBy::variance);
            double sum = 0.0;
            for (const VariancePoint& point : quiet_) {
                const double left = std::max(step.curve().at(point.mean).left, 1e-3 * typical_);
                const double off = point.variance / left - 1.0, scale = off > 0.0 ? most_off_above : most_off_below;
                sum += std::log1p(off * off / (scale * scale));
            }
            if (sum >= best) continue;
            best = sum;
            chosen = line;
        }
        return chosen;
    }

    [[nodiscard]] bool is_quiet(const NoiseWindow& window, const ClippedCurve::Point& at) const {
        return window.*power_ <= at.left && at.left >= least_kept * at.variance && at.spread > 0.0;
    }

    // Both ways in which the windows show the noise. Shares of samples are independent only if windows do not overlap,
    // variances already if they overlap by half: of the former there are a quarter as many.
    struct BothSteps {
        ClippedStep variance, inside;
        std::size_t used = 0;

        [[nodiscard]] ClippedStep joined() const {
            ClippedStep both = variance;
            both.add(inside, 0.25);
            return both;
        }
    };

    [[nodiscard]] BothSteps steps_from(const VarianceLine& line) const {
        BothSteps steps{step_from(line, ShownBy::variance), step_from(line, ShownBy::inside)};
        for (const NoiseWindow& window : windows_.list) {
            const ClippedCurve::Point at = steps.variance.curve().at(window.mean);
            if (!is_quiet(window, at)) continue;
            steps.variance.add(at, window.fine, window.*power_);
            steps.inside.add(steps.inside.curve().at(window.mean), window.inside, window.*power_);
            ++steps.used;
        }
        return steps;
    }

    [[nodiscard]] std::optional<VarianceLine> fitted(VarianceLine line) const {
        for (int i = 0; i < steps_at_most; ++i) {
            const BothSteps steps = steps_from(line);
            if (steps.used < fewest_fitted) return std::nullopt;
            const std::optional<VarianceLine> next = steps.joined().next();
            if (!next) return std::nullopt;
            const auto change = [&](double mean) {
                const double before = line.gain * mean + line.intercept;
                return std::abs(next->gain * mean + next->intercept - before) / std::max(std::abs(before), 1e-300);
            };
            const ClippedCurve& curve = steps.variance.curve();
            const bool settled = change(curve.darkest()) < settled_change && change(curve.brightest()) < settled_change;
            line = *next;
            if (settled) break;
        }
        return line;
    }

    // How far the means of what the windows show are from the curves. Some fits end where only their compromise is
    // good.
    [[nodiscard]] double disagreement(const VarianceLine& line) const {
        const ClippedCurve variance = step_from(line, ShownBy::variance).curve(),
                           inside = step_from(line, ShownBy::inside).curve();
        double left_off = 0.0, left = 0.0, inside_off = 0.0, clipped = 0.0;
        for (const NoiseWindow& window : windows_.list) {
            const ClippedCurve::Point at = variance.at(window.mean), share = inside.at(window.mean);
            if (!is_quiet(window, at)) continue;
            left_off += ClippedStep::distance(at, window.fine, window.*power_);
            left += at.left;
            inside_off += ClippedStep::distance(share, window.inside, window.*power_);
            clipped += 1.0 - at.inside;
        }
        if (!(left > 0.0)) return std::numeric_limits<double>::infinity();
        return std::abs(left_off) / left + (clipped > 0.0 ? std::abs(inside_off) / clipped : 0.0);
    }

    [[nodiscard]] std::optional<ClippedSearchResult> described(const VarianceLine& line) const {
        const BothSteps steps = steps_from(line);
        if (steps.used < fewest_fitted) return std::nullopt;
        const ClippedCurve& curve = steps.variance.curve();
        ClippedSearchResult result{.line = line, .points = {}};
        std::vector<NoiseWindow> used;
        for (const NoiseWindow& window : windows_.list) {
            const ClippedCurve::Point at = curve.at(window.mean);
            if (!is_quiet(window, at)) continue;
            result.scatter += (window.fine - at.left) * (window.fine - at.left) / at.spread;
            used.push_back({at.mean, 0.0, window.fine * at.variance / at.left});
        }
        result.scatter /= static_cast<double>(used.size());
        const ClippedCurve::Point middle = curve.at(centre_);
        result.mostly_clipped = middle.left < mostly_lost * middle.variance;
        constexpr std::size_t apart = dct_side / 2;
        const double independent = static_cast<double>(std::min(windows_.stride, apart)) / apart;
        const ClippedStep::Errors errors = steps.joined().errors();
        result.gain_sd = std::sqrt(errors.gain) / independent;
        result.intercept_sd = std::sqrt(errors.intercept) / independent;
        result.dark = curve.at(windows_.brightness(share_of_ends)).mean;
        result.bright = curve.at(windows_.brightness(1.0 - share_of_ends)).mean;
        const std::span<const NoiseWindow> all = used;
        for (std::size_t bin = 0; bin < points_of_curve; ++bin) {
            const std::size_t begin = bin * used.size() / points_of_curve;
            result.points.push_back(mean_of(all.subspan(begin, (bin + 1) * used.size() / points_of_curve - begin)));
        }
        return result;
    }

    const NoiseWindows& windows_;
    double NoiseWindow::*power_;
    const KnownNoise& known_;
    const ClipLevels& levels_;
    std::vector<VariancePoint> quiet_;
    double centre_, typical_ = 0.0;
};

}  // namespace

std::optional<ClippedSearchResult> search_clipped(const NoiseWindows& windows, double NoiseWindow::*power,
                                                  const KnownNoise& known, const ClipLevels& levels) {
    return ClippedSearch(windows, power, known, levels).run();
}

}  // namespace sbdl
