#include "inpaint/gappy_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "denoise/patches.hpp"

namespace sbdl {
namespace {

constexpr std::size_t enough_samples = 32;  // a window is so large that it has about as many
constexpr std::size_t least_side = 8, most_side = 48;
constexpr std::size_t waves_each_way = 4;  // (i, j) with i + j below this are fitted
constexpr Eigen::Index wave_count = 10;    // number of these
constexpr Eigen::Index least_left = 8;     // samples of a window beyond the number of waves
constexpr double flat_share = 0.2;         // of the windows
constexpr double drawn_share = 0.33;       // of the windows that is exactly constant where there is no noise
constexpr std::size_t enough_flat = 40;
constexpr std::size_t most_positions = 40'000;

/// What a fit explains and leaves.
struct WindowFit {
    double explained = 0.0;  ///< mean square over the window, the mean left out
    double left = 0.0;       ///< sum of squares
    double freedom = 0.0;    ///< of what is left
    double mean = 0.0;       ///< of the observed samples
};

/// Column k has a wave at every pixel of a window.
Mat waves_of(std::size_t side) {
    const auto wave = [side](std::size_t k, std::size_t x) {
        return (k == 0 ? 1.0 : std::numbers::sqrt2) * std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) *
                                                               static_cast<double>(k) / static_cast<double>(side));
    };
    Mat waves(static_cast<Eigen::Index>(side * side), wave_count);
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) {
            Eigen::Index column = 0;
            for (std::size_t i = 0; i < waves_each_way; ++i)
                for (std::size_t j = 0; i + j < waves_each_way; ++j)
                    waves(static_cast<Eigen::Index>(y * side + x), column++) = wave(i, y) * wave(j, x);
        }
    return waves;
}

WindowFit fit_window(const Matrix& plane, const Observed& observed, std::size_t row, std::size_t col, std::size_t side,
                     const Mat& waves) {
    Mat seen(waves.rows(), wave_count);
    Vec samples(waves.rows());
    Eigen::Index count = 0;
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) {
            const std::size_t at = (row + y) * plane.cols() + col + x;
            if (observed[at] == 0) continue;
            seen.row(count) = waves.row(static_cast<Eigen::Index>(y * side + x));
            samples[count++] = plane.data()[at];
        }
    if (count < wave_count + least_left) return {};
    const Mat normal = seen.topRows(count).transpose() * seen.topRows(count);
    const Eigen::LDLT<Mat> cholesky(normal);
    // Rounding must not show in what is left. Where a window is constant this is exact, as its mean need not be.
    const double level = samples[0];
    samples.head(count).array() -= level;
    const Vec weights = cholesky.solve(seen.topRows(count).transpose() * samples.head(count));
    return {.explained = weights.tail(wave_count - 1).squaredNorm(),
            .left = (samples.head(count) - seen.topRows(count) * weights).squaredNorm(),
            .freedom = static_cast<double>(count - wave_count),
            .mean = level + samples.head(count).mean()};
}

/// Leaves out windows that are exactly constant: at an end of the scale their noise was clipped, and elsewhere they are
/// borders or labels. Returns whether there are so many of the latter that there is no noise.
bool leave_out_constant(const Matrix& plane, const Observed& observed, std::vector<WindowFit>& fits) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < plane.size(); ++i) {
        if (observed[i] == 0) continue;
        least = std::min(least, plane.data()[i]);
        most = std::max(most, plane.data()[i]);
    }
    std::erase_if(fits,
                  [&](const WindowFit& fit) { return fit.left == 0.0 && (fit.mean <= least || fit.mean >= most); });
    const std::size_t all = fits.size();
    std::erase_if(fits, [](const WindowFit& fit) { return fit.left == 0.0; });
    return static_cast<double>(all - fits.size()) > drawn_share * static_cast<double>(all);
}

/// The lower quartile of what white noise of variance 1 leaves for each degree of freedom (Wilson and Hilferty).
double low_quantile(double freedom) {
    constexpr double quartile = -0.6745;  // of the normal distribution
    const double spread = 2.0 / (9.0 * freedom);
    return std::pow(1.0 - spread + quartile * std::sqrt(spread), 3);
}

}  // namespace

std::optional<double> estimate_gappy_noise(const Matrix& plane, const Observed& observed, int threads) {
    const double share = static_cast<double>(count_observed(observed)) / static_cast<double>(observed.size());
    const auto wanted = static_cast<std::size_t>(std::ceil(std::sqrt(enough_samples / share)));
    const std::size_t side = std::clamp(wanted, least_side, most_side);
    if (plane.rows() < side || plane.cols() < side) return std::nullopt;
    std::size_t stride = 2;
    while (plane.size() / (stride * stride) > most_positions) ++stride;
    const PatchGrid grid = patch_grid(plane.rows(), plane.cols(), side, stride);
    const Mat waves = waves_of(side);
    std::vector<WindowFit> fits(grid.count());
    parallel_for(grid.rows.size(), threads, [&](std::size_t row, int) {
        for (std::size_t col = 0; col < grid.cols.size(); ++col)
            fits[row * grid.cols.size() + col] =
                fit_window(plane, observed, grid.rows[row], grid.cols[col], side, waves);
    });
    std::erase_if(fits, [](const WindowFit& fit) { return fit.freedom == 0.0; });
    if (fits.empty()) return std::nullopt;
    if (leave_out_constant(plane, observed, fits) || fits.empty()) return 0.0;
    const auto flat = static_cast<std::size_t>(flat_share * static_cast<double>(fits.size()));
    const std::size_t used = std::min(std::max(flat, enough_flat), fits.size());
    std::nth_element(fits.begin(), fits.begin() + static_cast<std::ptrdiff_t>(used - 1), fits.end(),
                     [](const WindowFit& a, const WindowFit& b) { return a.explained < b.explained; });
    fits.resize(used);
    // Windows of fine texture look flat, too, and leave more than noise: a low quantile leaves them out.
    std::vector<double> variances;
    for (const WindowFit& fit : fits) variances.push_back(fit.left / fit.freedom / low_quantile(fit.freedom));
    const auto at = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 4);
    std::nth_element(variances.begin(), at, variances.end());
    return std::sqrt(*at);
}

}  // namespace sbdl
