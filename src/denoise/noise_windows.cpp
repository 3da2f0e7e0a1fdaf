#include "denoise/noise_windows.hpp"

#include <algorithm>
#include <tuple>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t finest = 10;       // coefficients (i, j) with i + j at least this measure the noise
constexpr std::size_t first_middle = 4;  // of the others, those with i + j at least this are the middle ones
// Where pixels share their noise: the fine coefficients are those with i + j odd and at least this.
constexpr std::size_t first_shared = 5, shared_fine_count = 26, shared_coarse_count = 31;
constexpr std::size_t most_measured = 80'000;  // windows
constexpr std::size_t windows_per_bin = 200, fewest_bins = 4, most_bins = 32;
constexpr double quietest_share = 0.1;  // of the windows of a bin

NoiseWindow measure(const Matrix& plane, std::size_t row, std::size_t col, const DctBasis& basis) {
    const WindowDct coefficients = window_dct(plane, row, col, basis);
    NoiseWindow window{coefficients[0][0] / dct_side, 0.0, 0.0};
    for (std::size_t j = 0; j < dct_side; ++j)
        for (std::size_t k = j == 0 ? 1 : 0; k < dct_side; ++k) {
            const double square = coefficients[j][k] * coefficients[j][k];
            (j + k < finest ? window.coarse : window.fine) += square;
            if (j + k >= first_middle && j + k < finest) window.middle += square;
        }
    window.coarse /= NoiseWindow::coarse_count;
    window.middle /= NoiseWindow::middle_count;
    window.fine /= NoiseWindow::fine_count;
    return window;
}

double inside_share(const Matrix& plane, std::size_t row, std::size_t col, const ClipLevels& levels) {
    std::size_t count = 0;
    for (std::size_t y = row; y < row + dct_side; ++y)
        for (std::size_t x = col; x < col + dct_side; ++x)
            if (levels.low < plane(y, x) && plane(y, x) < levels.high) ++count;
    return static_cast<double>(count) / (dct_side * dct_side);
}

// The chessboard's fields of one colour measure, those of the other choose.
NoiseWindow measure_shared(const Matrix& plane, std::size_t row, std::size_t col, const DctBasis& basis,
                           const WindowDct& spectrum) {
    const WindowDct coefficients = window_dct(plane, row, col, basis);
    NoiseWindow window{coefficients[0][0] / dct_side, 0.0, 0.0};
    for (std::size_t j = 0; j < dct_side; ++j)
        for (std::size_t k = j == 0 ? 1 : 0; k < dct_side; ++k) {
            const double square = coefficients[j][k] * coefficients[j][k] / spectrum[j][k];
            if ((j + k) % 2 == 0)
                window.coarse += square / shared_coarse_count;
            else if (j + k >= first_shared)
                window.fine += square / shared_fine_count;
        }
    return window;
}

/// The windows that `measured(row, col)` makes, in order of their mean.
template <class Measured>
NoiseWindows all_measured(const Matrix& plane, const ConstantRegions& constant, int threads, const Measured& measured) {
    const std::size_t down = plane.rows() - dct_side + 1, across = plane.cols() - dct_side + 1;
    NoiseWindows result;
    while ((down / result.stride) * (across / result.stride) > most_measured) ++result.stride;
    std::vector<std::vector<NoiseWindow>> rows((down + result.stride - 1) / result.stride);
    parallel_for(rows.size(), threads, [&](std::size_t number, int) {
        const std::size_t row = number * result.stride;
        for (std::size_t col = 0; col < across; col += result.stride)
            if (!constant.overlapped_by(row, col)) rows[number].push_back(measured(row, col));
    });
    for (const std::vector<NoiseWindow>& row : rows) result.list.insert(result.list.end(), row.begin(), row.end());
    std::sort(result.list.begin(), result.list.end(), [](const NoiseWindow& a, const NoiseWindow& b) {
        return std::tie(a.mean, a.coarse, a.fine) < std::tie(b.mean, b.coarse, b.fine);
    });
    return result;
}

}  // namespace

NoiseWindows noise_windows(const Matrix& plane, const ConstantRegions& constant, const ClipLevels& levels,
                           int threads) {
    return all_measured(plane, constant, threads, [&, basis = dct_basis()](std::size_t row, std::size_t col) {
        NoiseWindow window = measure(plane, row, col, basis);
        if (!levels.unclipped()) window.inside = inside_share(plane, row, col, levels);
        return window;
    });
}

NoiseWindows noise_windows(const Matrix& plane, const ConstantRegions& constant, const WindowDct& spectrum,
                           int threads) {
    NoiseWindows windows =
        all_measured(plane, constant, threads, [&, basis = dct_basis()](std::size_t row, std::size_t col) {
            return measure_shared(plane, row, col, basis, spectrum);
        });
    windows.fine_count = shared_fine_count;
    return windows;
}

VariancePoint mean_of(std::span<const NoiseWindow> windows) {
    VariancePoint point{0.0, 0.0};
    for (const NoiseWindow& window : windows) {
        point.mean += window.mean / static_cast<double>(windows.size());
        point.variance += window.fine / static_cast<double>(windows.size());
    }
    return point;
}

std::vector<VariancePoint> quietest(const NoiseWindows& windows, double NoiseWindow::*power) {
    const std::size_t bins = std::clamp(windows.list.size() / windows_per_bin, fewest_bins, most_bins);
    std::vector<VariancePoint> points;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto at = [&](std::size_t number) {
            return windows.list.begin() + static_cast<std::ptrdiff_t>(number * windows.list.size() / bins);
        };
        std::vector<NoiseWindow> here(at(bin), at(bin + 1));
        std::sort(here.begin(), here.end(), [power](const NoiseWindow& a, const NoiseWindow& b) {
            return std::tie(a.*power, a.fine) < std::tie(b.*power, b.fine);
        });
        here.resize(std::max(static_cast<std::size_t>(quietest_share * static_cast<double>(here.size())),
                             std::min<std::size_t>(here.size(), 20)));
        points.push_back(mean_of(here));
    }
    return points;
}

}  // namespace sbdl
