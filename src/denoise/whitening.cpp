#include "denoise/whitening.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

// Of the mean variance. Directions with less noise are taken to have this much: their estimate is too uncertain, and
// codes would no longer be sparse.
constexpr double least_variance = 0.03;

Mat patch_covariance(const Autocovariance& noise, std::size_t patch) {
    const auto dim = static_cast<Eigen::Index>(patch * patch);
    Mat covariance = Mat::Zero(dim, dim);
    const auto apart = [](Eigen::Index a, Eigen::Index b) { return static_cast<std::size_t>(std::abs(a - b)); };
    const auto side = static_cast<Eigen::Index>(patch);
    for (Eigen::Index a = 0; a < dim; ++a)
        for (Eigen::Index b = 0; b < dim; ++b) {
            const std::size_t down = apart(a / side, b / side), across = apart(a % side, b % side);
            if (down < Autocovariance::reach && across < Autocovariance::reach)
                covariance(a, b) = noise.at[down][across];
        }
    return covariance;
}

/// The filter that turns white noise into noise with this autocovariance: entry [down][across], the same in a mirror.
using HalfFilter = std::array<std::array<double, Autocovariance::reach>, Autocovariance::reach>;

HalfFilter colouring_filter(const Autocovariance& noise) {
    constexpr std::size_t reach = Autocovariance::reach;
    constexpr std::size_t grid = 4 * reach;
    std::array<std::array<double, reach>, grid> wave{};
    for (std::size_t u = 0; u < grid; ++u)
        for (std::size_t t = 0; t < reach; ++t)
            wave[u][t] = (t == 0 ? 1.0 : 2.0) * std::cos(2.0 * std::numbers::pi * static_cast<double>(u * t) / grid);
    HalfFilter filter{};
    for (std::size_t u = 0; u < grid; ++u)
        for (std::size_t v = 0; v < grid; ++v) {
            double power = 0.0;
            for (std::size_t y = 0; y < reach; ++y)
                for (std::size_t x = 0; x < reach; ++x) power += noise.at[y][x] * wave[u][y] * wave[v][x];
            const double amplitude = std::sqrt(std::max(power, 0.0)) / (grid * grid);
            for (std::size_t y = 0; y < reach; ++y)
                for (std::size_t x = 0; x < reach; ++x)
                    filter[y][x] += amplitude * wave[u][y] / (y == 0 ? 1.0 : 2.0) * wave[v][x] / (x == 0 ? 1.0 : 2.0);
        }
    return filter;
}

}  // namespace

Whitening::Whitening(const Autocovariance& noise, std::size_t patch, PatchMean mean) {
    const Mat all = patch_covariance(noise, patch);
    const auto dim = all.rows();
    mean_variance_ = std::max(all.mean(), 0.0);
    Mat projection = Mat::Identity(dim, dim);
    if (mean == PatchMean::removed) projection.array() -= 1.0 / static_cast<double>(dim);
    const Mat covariance = projection * all * projection;
    const Eigen::SelfAdjointEigenSolver<Mat> parts(covariance);
    const double directions = projection.trace();
    // A fitted matrix need not be a valid covariance: its trace may be below its largest eigenvalue.
    const double total = std::max(covariance.trace(), parts.eigenvalues().maxCoeff());
    const double least = least_variance * total / directions;
    Vec up(dim), down(dim);
    for (Eigen::Index i = 0; i < dim; ++i) {
        up[i] = std::sqrt(std::max(parts.eigenvalues()[i], least));
        down[i] = 1.0 / up[i];
    }
    const Mat& vectors = parts.eigenvectors();
    colour_ = projection * vectors * up.asDiagonal() * vectors.transpose() * projection;
    whiten_ = projection * vectors * down.asDiagonal() * vectors.transpose() * projection;
}

Matrix Whitening::applied(const Mat& to, MatrixView atoms) {
    return to_rows(unit_columns(to * as_columns(atoms)));
}

Matrix noise_like(const Autocovariance& noise, std::size_t height, std::size_t width, std::uint64_t seed, int threads) {
    constexpr std::size_t reach = Autocovariance::reach, margin = reach - 1;
    const HalfFilter filter = colouring_filter(noise);
    Matrix signs(height + 2 * margin, width + 2 * margin);
    parallel_for(signs.rows(), threads, [&](std::size_t row, int) {
        DrawStream draws(seed, {Purpose::risk_probe, 0, 0, row});
        for (std::size_t col = 0; col < signs.cols(); ++col) signs(row, col) = draws.below(2) == 0 ? -1.0 : 1.0;
    });
    Matrix result(height, width);
    parallel_for(height, threads, [&](std::size_t row, int) {
        double* const out = result.row(row).data();
        for (std::size_t y = 0; y <= 2 * margin; ++y)
            for (std::size_t x = 0; x <= 2 * margin; ++x) {
                const double weight =
                    filter[y < margin ? margin - y : y - margin][x < margin ? margin - x : x - margin];
                const double* const in = signs.row(row + y).data() + x;
                for (std::size_t col = 0; col < width; ++col) out[col] += weight * in[col];
            }
    });
    return result;
}

}  // namespace sbdl
