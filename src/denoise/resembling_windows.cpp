#include "denoise/resembling_windows.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include "base/parallel.hpp"
#include "denoise/clip_levels.hpp"
#include "denoise/constant_regions.hpp"

namespace sbdl {
namespace {

constexpr std::size_t compared_side = ConstantRegions::side;
constexpr std::size_t half_pixels = compared_side * compared_side / 2;
constexpr std::size_t reach = 40;     // how far away a similar window may be, in rows and columns
constexpr std::size_t per_side = 20;  // windows in a row and in a column for which one is looked for
constexpr std::size_t fewest = 100;   // windows that must have been compared
constexpr std::size_t brightness_parts = 3;
constexpr double quarter = 0.25;       // of the windows of one brightness
constexpr double most_clipped = 0.55;  // share of a window's pixels that are at an end of the scale

/// The lower quartile of a chi-square variable divided by its degrees of freedom, one per compared pixel: a quarter of
/// the windows are below it if all are alike (Wilson and Hilferty's cube).
double lower_quartile() {
    constexpr double normal = -0.6745, ninths = 2.0 / (9.0 * half_pixels);
    return std::pow(1.0 - ninths + normal * std::sqrt(ninths), 3.0);
}

/// The share of its variance that noise keeps when it is clipped: the variance of max(x, c) for x standard normal and
/// the level c with P(x < c) = `clipped`.
double variance_left(double clipped) {
    if (!(clipped > 0.0)) return 1.0;
    const auto below = [](double c) { return 0.5 * std::erfc(-c / std::numbers::sqrt2); };
    double low = -9.0, high = 9.0;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (below(middle) < clipped ? low : high) = middle;
    }
    const double density = std::exp(-0.5 * low * low) / std::sqrt(2.0 * std::numbers::pi);
    const double mean = low * clipped + density;
    return low * low * clipped + low * density + 1.0 - clipped - mean * mean;
}

class Resemblance {
public:
    Resemblance(const Matrix& plane, std::span<const Matrix> samples)
        : plane_(plane), samples_(samples), constant_(samples) {
        for (const Matrix& sampled : samples) levels_.push_back(find_clip_levels(sampled, constant_));
    }

    [[nodiscard]] std::size_t down() const { return plane_.rows() - compared_side + 1; }
    [[nodiscard]] std::size_t across() const { return plane_.cols() - compared_side + 1; }

    /// Whether the noise of a window can be compared: there is some, and at most about half of it is clipped.
    [[nodiscard]] bool counts(std::size_t row, std::size_t col) const {
        return !constant_.overlapped_by(row, col) && clipped(row, col) <= most_clipped;
    }

    /// Share of the samples of a window that are at an end of the scale.
    [[nodiscard]] double clipped(std::size_t row, std::size_t col) const {
        std::size_t count = 0;
        for (std::size_t p = 0; p < samples_.size(); ++p) {
            if (levels_[p].unclipped()) continue;
            for (std::size_t i = 0; i < compared_side; ++i)
                for (const double value : samples_[p].row(row + i).subspan(col, compared_side))
                    count += levels_[p].distance(value) <= 0.0 ? 1 : 0;
        }
        return static_cast<double>(count) / static_cast<double>(samples_.size() * compared_side * compared_side);
    }

    [[nodiscard]] double brightness(std::size_t row, std::size_t col) const {
        double sum = 0.0;
        for (const Matrix& sampled : samples_)
            for (std::size_t i = 0; i < compared_side; ++i)
                for (const double value : sampled.row(row + i).subspan(col, compared_side)) sum += value;
        return sum;
    }

    /// Half the mean square by which this window differs from the most similar one that it does not overlap; infinite
    /// if there is none.
    [[nodiscard]] double variance(std::size_t row, std::size_t col) const {
        const std::size_t top = row - std::min(row, reach), left = col - std::min(col, reach);
        const std::size_t bottom = std::min(row + reach + 1, down()), right = std::min(col + reach + 1, across());
        double nearest = std::numeric_limits<double>::infinity();
        std::size_t best_row = row, best_col = col;
        for (std::size_t y = top; y < bottom; ++y)
            for (std::size_t x = left; x < right; ++x) {
                if (apart(y, row) < compared_side && apart(x, col) < compared_side) continue;
                const double distance = squares(row, col, y, x, 0, nearest);
                if (distance >= nearest || !counts(y, x)) continue;
                nearest = distance;
                best_row = y;
                best_col = x;
            }
        if (std::isinf(nearest)) return nearest;
        const double unclipped = variance_left(clipped(row, col)) + variance_left(clipped(best_row, best_col));
        return squares(row, col, best_row, best_col, 1) / half_pixels / unclipped;
    }

private:
    static std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

    /// Sum of the squared differences over one half of the pixels; only a part of it once it exceeds `enough`.
    [[nodiscard]] double squares(std::size_t row, std::size_t col, std::size_t y, std::size_t x, std::size_t half,
                                 double enough = std::numeric_limits<double>::infinity()) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < compared_side && sum < enough; ++i) {
            const double* const here = plane_.row(row + i).data() + col;
            const double* const there = plane_.row(y + i).data() + x;
            for (std::size_t j = (i + half) % 2; j < compared_side; j += 2) {
                const double difference = here[j] - there[j];
                sum += difference * difference;
            }
        }
        return sum;
    }

    const Matrix& plane_;
    std::span<const Matrix> samples_;
    ConstantRegions constant_;
    std::vector<ClipLevels> levels_;
};

struct Compared {
    double brightness, variance;
    auto operator<=>(const Compared&) const = default;
};

double quartile(std::span<Compared> windows) {
    const auto at = static_cast<std::size_t>(quarter * static_cast<double>(windows.size()));
    std::ranges::nth_element(windows, windows.begin() + static_cast<std::ptrdiff_t>(at), {}, &Compared::variance);
    return windows[at].variance;
}

}  // namespace

double noise_of_resembling_windows(const Matrix& plane, std::span<const Matrix> samples, int threads) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    if (plane.rows() < 2 * compared_side || plane.cols() < 2 * compared_side) return unknown;
    const Resemblance resemblance(plane, samples);
    const std::size_t rows = std::min(per_side, resemblance.down()), cols = std::min(per_side, resemblance.across());
    std::vector<std::vector<Compared>> compared(rows);
    parallel_for(rows, threads, [&](std::size_t i, int) {
        const std::size_t row = i * (resemblance.down() - 1) / (rows - 1);
        for (std::size_t j = 0; j < cols; ++j) {
            const std::size_t col = j * (resemblance.across() - 1) / (cols - 1);
            if (!resemblance.counts(row, col)) continue;
            compared[i].push_back({resemblance.brightness(row, col), resemblance.variance(row, col)});
        }
    });
    std::vector<Compared> windows;
    for (const std::vector<Compared>& row : compared) windows.insert(windows.end(), row.begin(), row.end());
    if (windows.size() < fewest) return unknown;
    std::ranges::sort(windows);
    double most = 0.0;
    for (std::size_t part = 0; part < brightness_parts; ++part) {
        const std::size_t first = part * windows.size() / brightness_parts;
        const std::size_t last = (part + 1) * windows.size() / brightness_parts;
        most = std::max(most, quartile(std::span(windows).subspan(first, last - first)));
    }
    return std::sqrt(most / lower_quartile());
}

}  // namespace sbdl
