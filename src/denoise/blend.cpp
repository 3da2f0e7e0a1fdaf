// For an estimate f(y) of x from y = x + noise, the mean of ||f(y) - x||^2 is that of
//
//     ||f(y) - y||^2 - n sigma^2 + 2 sigma^2 div f(y)
//
// and div f is the mean of b . (f(y + e b) - f(y)) / e over random signs b. (For noise of covariance C, sigma^2 div f
// is the trace of C times the derivative of f, and b is noise of that covariance.) With f = q + w (p - q) this is a
// parabola in w, whose minimum is returned. The dictionary was learned from the same noise and is fixed here, so the
// estimate that follows the noise more, p, looks better than it is: `head_start` is subtracted.
#include "denoise/blend.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "denoise/whitening.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_side = 1024;                     // of the part that is used
constexpr std::size_t most_samples = std::size_t{1} << 18;  // the same for a signal, which has one row
constexpr double probe = 0.1;                               // e, in units of the noise
constexpr double head_start = 0.25;

std::size_t most_width(std::size_t height) {
    return height == 1 ? most_samples : most_side;
}

bool is_small(const Plane& plane) {
    return plane.rows() <= most_side && plane.cols() <= most_width(plane.rows());
}

Plane middle(const Plane& plane) {
    const std::size_t height = std::min(plane.rows(), most_side);
    const std::size_t width = std::min(plane.cols(), most_width(plane.rows()));
    const std::size_t top = (plane.rows() - height) / 2;
    const std::size_t left = (plane.cols() - width) / 2;
    Plane part(height, width, plane.scale());
    for (std::size_t row = 0; row < height; ++row)
        std::copy_n(plane.stored_row(top + row) + left, width, part.stored_row(row));
    return part;
}

Matrix random_signs(std::size_t height, std::size_t width, std::uint64_t seed, int threads) {
    Matrix signs(height, width);
    parallel_for(height, threads, [&](std::size_t row, int) {
        DrawStream draws(seed, {Purpose::risk_probe, 0, 0, row});
        for (std::size_t col = 0; col < width; ++col) signs(row, col) = draws.below(2) == 0 ? -1.0 : 1.0;
    });
    return signs;
}

}  // namespace

double pilot_share(const Plane& noisy, const TwoEstimates& estimates, double sigma, std::uint64_t seed, int threads,
                   const std::function<TwoEstimates(const Plane&)>& passes, const Autocovariance* correlated) {
    const bool all = is_small(noisy);
    const Plane part = all ? Plane() : middle(noisy);
    const TwoEstimates of_part = all ? TwoEstimates() : passes(part);
    const Plane& y = all ? noisy : part;
    const TwoEstimates& before = all ? estimates : of_part;

    // Known noise of the same kind; `sigma` times random signs, unless it is correlated.
    const Matrix signs = correlated != nullptr ? noise_like(*correlated, y.rows(), y.cols(), seed, threads)
                                               : random_signs(y.rows(), y.cols(), seed, threads);
    if (correlated != nullptr) sigma = 1.0;
    Plane probed = y;
    parallel_for(y.rows(), threads, [&](std::size_t row, int) {
        for (std::size_t col = 0; col < y.cols(); ++col)
            probed.set(row, col, y(row, col) + probe * sigma * signs(row, col));
    });
    const TwoEstimates after = passes(probed);

    struct Risk {
        double slope = 0.0;      // half the derivative of the risk at w = 0
        double curvature = 0.0;  // and half its second derivative
    };
    std::vector<Risk> of_rows(y.rows());
    parallel_for(y.rows(), threads, [&](std::size_t row, int) {
        for (std::size_t col = 0; col < y.cols(); ++col) {
            const double p = before.pilot(row, col);
            const double q = before.posterior(row, col);
            const double followed = (after.pilot(row, col) - p) - (after.posterior(row, col) - q);
            of_rows[row].slope += (q - y(row, col)) * (p - q) + sigma / probe * signs(row, col) * followed;
            of_rows[row].curvature += (p - q) * (p - q);
        }
    });
    double slope = 0.0, curvature = 0.0;
    for (const Risk& row : of_rows) {
        slope += row.slope;
        curvature += row.curvature;
    }
    return curvature > 0.0 ? std::clamp(-slope / curvature - head_start, 0.0, 1.0) : 0.0;
}

std::size_t pixels_for_pilot_share(std::size_t height, std::size_t width) {
    if (height <= most_side && width <= most_width(height)) return height * width;
    return 2 * std::min(height, most_side) * std::min(width, most_width(height));  // without and with the probe
}

}  // namespace sbdl
