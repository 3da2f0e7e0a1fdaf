#include "learners/simco/circle_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/products.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "learners/simco/tile_costs.hpp"
#include "pass/code_products.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_values = 1U << 23;  // numbers kept in all: 64 MiB

/// An upper bound: each part may have one partly filled tile of each size.
std::size_t values_kept(const SparseCodes& codes) {
    const std::vector<int> signals_of_size = code_sizes(codes);
    std::size_t values = 0;
    for (std::size_t size = 0; size < signals_of_size.size(); ++size) {
        const auto signals = static_cast<std::size_t>(signals_of_size[size]);
        const std::size_t tiles = signals / tile_width + std::min(signals, signal_parts(codes.count()));
        values += tiles * tile_width * TileValues<double>::entries(size);
    }
    return values;
}

}  // namespace

void CircleCosts::begin(const Circles& circles, const SparsePass& pass) {
    const auto size = [&](std::size_t l) { return pass.codes.start[l + 1] - pass.codes.start[l]; };
    signals_ = pass.codes.count();
    parts_.resize(values_kept(pass.codes) > most_values ? 0 : signal_parts(signals_));
    if (parts_.empty()) return;

    weight_ = circles.weight;
    for (Mat* products : {&start_start_, &direction_direction_, &direction_start_})
        products->resize(weight_.size(), weight_.size());
    multiply_transposed(circles.start, circles.start, start_start_);
    multiply_transposed(circles.direction, circles.direction, direction_direction_);
    multiply_transposed(circles.direction, circles.start, direction_start_);
    for_each_signal_part(signals_, threads_, [&](std::size_t index, std::size_t first, std::size_t count) {
        Part& part = parts_[index];
        part.tiles.clear();
        part.atoms.clear();
        part.used = 0;
        part.residual2 = 0.0;
        part.order.resize(count);
        std::iota(part.order.begin(), part.order.end(), first);
        const auto smaller = [&](std::size_t l, std::size_t k) { return size(l) < size(k); };
        if (!std::is_sorted(part.order.begin(), part.order.end(), smaller))
            std::stable_sort(part.order.begin(), part.order.end(), smaller);
        for (std::size_t i = 0, end = 0; i < count; i = end) {
            while (end < count && end < i + tile_width && size(part.order[end]) == size(part.order[i])) ++end;
            gather(circles, pass, {size(part.order[i]), i, end - i, part.atoms.size(), part.used}, part);
        }
    });
}

void CircleCosts::gather(const Circles& circles, const SparsePass& pass, const Tile& tile, Part& part) const {
    constexpr std::size_t w = tile_width;
    const SparseCodes& codes = pass.codes;
    const std::size_t size = tile.size, values = TileValues<double>::entries(size) * w;
    part.tiles.push_back(tile);
    part.used += values;
    part.atoms.resize(part.atoms.size() + size * w, 0);
    if (part.used > part.values.size()) part.values.resize(part.used + part.used / 2);
    std::uint32_t* const atoms = part.atoms.data() + tile.atoms;
    const TileValues<double> to(part.values.data() + tile.values, size);
    if (tile.signals < w) {  // lanes without a signal: orthonormal atoms and zeros add no cost
        std::fill_n(to.x0, values, 0.0);
        for (std::size_t i = 0; i < size; ++i) {
            std::fill_n(to.start_start + (triangle(i) + i) * w, w, 1.0);
            std::fill_n(to.direction_direction + (triangle(i) + i) * w, w, 1.0);
        }
    }
    for (std::size_t s = 0; s < tile.signals; ++s) {
        const std::size_t l = part.order[tile.first + s], entry = codes.start[l];
        const auto left = pass.residual.col(static_cast<Eigen::Index>(l));
        part.residual2 += left.squaredNorm();
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t n = codes.atom[entry + i];
            atoms[i * w + s] = n;
            to.x0[i * w + s] = codes.value[entry + i];
            to.start_left[i * w + s] = circles.start.col(n).dot(left);
            to.direction_left[i * w + s] = circles.direction.col(n).dot(left);
            for (std::size_t j = 0; j < size; ++j) {
                const std::uint32_t k = codes.atom[entry + j];
                to.start_direction[(i * size + j) * w + s] = direction_start_(k, n);
                if (j > i) continue;
                to.start_start[(triangle(i) + j) * w + s] = start_start_(k, n);
                to.direction_direction[(triangle(i) + j) * w + s] = direction_direction_(k, n);
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i)  // y = r0 + D x0
        for (std::size_t s = 0; s < w; ++s) {
            double start_signal = to.start_left[i * w + s], direction_signal = to.direction_left[i * w + s];
            for (std::size_t j = 0; j < size; ++j) {
                const std::size_t ij = j <= i ? triangle(i) + j : triangle(j) + i;
                start_signal += to.start_start[ij * w + s] * to.x0[j * w + s];
                direction_signal += to.start_direction[(j * size + i) * w + s] * to.x0[j * w + s];
            }
            to.start_signal[i * w + s] = start_signal;
            to.direction_signal[i * w + s] = direction_signal;
        }
}

std::optional<double> CircleCosts::at(double angle, double mu, SparseCodes* codes) const {
    if (parts_.empty()) return std::nullopt;
    Mat point(2, weight_.size());  // a and b for each atom
    for (Eigen::Index n = 0; n < weight_.size(); ++n) {
        const double a = std::cos(angle * weight_[n]), b = std::sin(angle * weight_[n]);
        const double norm2 =
            a * a * start_start_(n, n) + b * (2.0 * a * direction_start_(n, n) + b * direction_direction_(n, n));
        point.col(n) << a, b;
        if (weight_[n] > 0.0) point.col(n) /= std::sqrt(norm2);
    }
    std::vector<double> costs(parts_.size());
    for_each_signal_part(signals_, threads_, [&](std::size_t index, std::size_t, std::size_t) {
        costs[index] = part_cost(parts_[index], point, mu, codes);
    });
    const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
    return std::isfinite(cost) ? std::optional(cost) : std::nullopt;
}

/// Not a number where a system has no Cholesky factor.
double CircleCosts::part_cost(const Part& part, const Mat& point, double mu, SparseCodes* codes) {
    TileScratch scratch;
    for (const Tile& tile : part.tiles) {
        scratch.resize(tile.size);
        for (std::size_t i = 0; i < tile.size * tile_width; ++i) {
            const auto n = static_cast<Eigen::Index>(part.atoms[tile.atoms + i]);
            scratch.a[i] = point(0, n);
            scratch.b[i] = point(1, n);
        }
        if (!add_tile_cost({part.values.data() + tile.values, tile.size}, mu, scratch))
            return std::numeric_limits<double>::quiet_NaN();
        if (codes == nullptr) continue;
        for (std::size_t s = 0; s < tile.signals; ++s)
            for (std::size_t i = 0; i < tile.size; ++i)
                codes->value[codes->start[part.order[tile.first + s]] + i] = scratch.x[i * tile_width + s];
    }
    return part.residual2 + std::accumulate(scratch.cost.begin(), scratch.cost.end(), 0.0);
}

}  // namespace sbdl
