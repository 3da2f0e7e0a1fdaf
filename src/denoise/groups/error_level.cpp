// With r the residual in units of the noise and v the foreseen variance of the errors in the same units, the agreement
// of neighbours is
//
//     u = mean of r_i r_j over neighbours i, j  /  mean of v.
//
// Noise that was kept makes neighbouring residuals disagree, detail that was removed makes them agree; noise that was
// removed does neither, whatever its strength. The means are those of windows: sums over cells of pixels, weighted by a
// Gaussian. By chance alone u has the standard deviation e = sqrt(1 / pairs) / mean of v; between images it varies by
// s. So the variances are multiplied by exp(steepness (u - usual) s^2 / (s^2 + e^2)).
#include "denoise/groups/error_level.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

// Fits to training images (docs/results/how-recipes-were-chosen.md).
constexpr double usual_agreement = -0.45, level_steepness = 2.7, agreement_spread = 0.45;
constexpr double most_log_change = 1.4;  // of a logarithm of a variance
constexpr double sharp_factor = 2.0, sharp_power = 1.5;

constexpr std::size_t cell = 32;            // pixels, along a side
constexpr double window_scale = 48.0;       // pixels: standard deviation of the Gaussian
constexpr std::ptrdiff_t window_reach = 4;  // cells that a window reaches in each direction

/// Sums over the pixels of a cell, and then over those of a window.
struct CellSums {
    double products = 0.0;   // of neighbouring residuals
    double pairs = 0.0;      // number of those products
    double by_chance = 0.0;  // variance of the sum of products if the residual is noise
    double variance = 0.0;   // foreseen
    double pixels = 0.0;

    void add(const CellSums& other, double weight) {
        products += weight * other.products;
        pairs += weight * other.pairs;
        by_chance += weight * weight * other.by_chance;
        variance += weight * other.variance;
        pixels += weight * other.pixels;
    }

    /// Of the logarithm of the variances.
    [[nodiscard]] double change() const {
        if (!(pairs > 0.0) || !(variance > 0.0)) return 0.0;
        const double foreseen = variance / pixels;
        const double agreement = products / pairs / foreseen, chance = std::sqrt(by_chance) / pairs / foreseen;
        const double known = 1.0 / (1.0 + chance * chance / (agreement_spread * agreement_spread));
        return std::clamp(level_steepness * known * (agreement - usual_agreement), -most_log_change, most_log_change);
    }
};

/// Cells of an image, row by row.
struct Cells {
    Cells(std::size_t height, std::size_t width)
        : rows((height + cell - 1) / cell), cols((width + cell - 1) / cell), sums(rows * cols) {}
    CellSums& at(std::size_t row, std::size_t col) { return sums[row * cols + col]; }

    std::size_t rows, cols;
    std::vector<CellSums> sums;
};

Cells cells_of(const Plane& noisy, const Plane& estimate, double sigma, int threads, const Plane& std) {
    Cells cells(noisy.rows(), noisy.cols());
    parallel_for(cells.rows, threads, [&](std::size_t cell_row, int) {
        for (std::size_t row = cell_row * cell; row < std::min((cell_row + 1) * cell, noisy.rows()); ++row)
            for (std::size_t col = 0; col < noisy.cols(); ++col) {
                const auto residual = [&](std::size_t i, std::size_t j) {
                    return (noisy(i, j) - estimate(i, j)) / sigma;
                };
                CellSums& here = cells.at(cell_row, col / cell);
                const double own = residual(row, col), deviation = std(row, col) / sigma;
                here.variance += deviation * deviation;
                ++here.pixels;
                if (col + 1 < noisy.cols()) {
                    here.products += own * residual(row, col + 1);
                    ++here.pairs;
                }
                if (row + 1 < noisy.rows()) {
                    here.products += own * residual(row + 1, col);
                    ++here.pairs;
                }
            }
        for (std::size_t col = 0; col < cells.cols; ++col)
            cells.at(cell_row, col).by_chance = cells.at(cell_row, col).pairs;
    });
    return cells;
}

/// Adds `from` to the window around `to`, which is in the same row or column of cells.
void add_to_window(const CellSums& from, std::ptrdiff_t away, CellSums& to) {
    const double distance = static_cast<double>(away) * static_cast<double>(cell) / window_scale;
    to.add(from, std::exp(-0.5 * distance * distance));
}

/// Along the rows and then along the columns.
Cells windows_of(const Cells& cells) {
    Cells along = cells, both = cells;
    const auto gather = [](const CellSums* from, std::size_t count, std::size_t step, std::size_t at) {
        CellSums sums;
        const auto here = static_cast<std::ptrdiff_t>(at), end = static_cast<std::ptrdiff_t>(count);
        for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(here - window_reach, 0);
             k < std::min(here + window_reach + 1, end); ++k)
            add_to_window(from[static_cast<std::size_t>(k) * step], k - here, sums);
        return sums;
    };
    for (std::size_t row = 0; row < cells.rows; ++row)
        for (std::size_t col = 0; col < cells.cols; ++col)
            along.at(row, col) = gather(cells.sums.data() + row * cells.cols, cells.cols, 1, col);
    for (std::size_t row = 0; row < cells.rows; ++row)
        for (std::size_t col = 0; col < cells.cols; ++col)
            both.at(row, col) = gather(along.sums.data() + col, cells.rows, cells.cols, row);
    return both;
}

/// Between which two of `count` cells a pixel lies, and how near it is to the second one.
struct Between {
    Between(std::size_t pixel, std::size_t count) {
        const double at = (static_cast<double>(pixel) + 0.5) / static_cast<double>(cell) - 0.5;
        const double inside = std::clamp(at, 0.0, static_cast<double>(count - 1));
        first = static_cast<std::size_t>(inside);
        second = std::min(first + 1, count - 1);
        share = inside - static_cast<double>(first);
    }
    std::size_t first, second;
    double share;
};

}  // namespace

void scale_to_residual(const Plane& noisy, const Plane& estimate, double sigma, int threads, Plane& std) {
    const Cells windows = windows_of(cells_of(noisy, estimate, sigma, threads, std));
    Matrix change(windows.rows, windows.cols);
    for (std::size_t i = 0; i < change.size(); ++i) change.data()[i] = windows.sums[i].change();
    parallel_for(std.rows(), threads, [&](std::size_t row, int) {
        const Between down(row, windows.rows);
        for (std::size_t col = 0; col < std.cols(); ++col) {
            const Between across(col, windows.cols);
            const auto on = [&](std::size_t k) {
                return std::lerp(change(k, across.first), change(k, across.second), across.share);
            };
            const double half_change = 0.5 * std::lerp(on(down.first), on(down.second), down.share);
            std.set(row, col, std(row, col) * std::exp(half_change));
        }
    });
}

void sharpen_std(double sigma, Plane& std) {
    for (std::size_t i = 0; i < std.size(); ++i) {
        const double variance = std[i] * std[i] / (sigma * sigma);
        std.set(i, sigma * std::sqrt(sharp_factor * std::pow(variance, sharp_power)));
    }
}

}  // namespace sbdl
