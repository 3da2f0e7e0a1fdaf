#include "learners/simco/circle_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/products.hpp"
#include "learners/simco/tile_costs.hpp"
#include "pass/code_products.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_values = 1U << 23;  // numbers kept in all: 64 MiB

std::size_t code_size(const SparseCodes& codes, std::size_t l) {
    return codes.start[l + 1] - codes.start[l];
}

/// At most: each part may have one tile of each size that is not full.
std::size_t values_kept(const SparseCodes& codes) {
    std::vector<std::size_t> signals_of_size;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        const std::size_t size = code_size(codes, l);
        if (size >= signals_of_size.size()) signals_of_size.resize(size + 1, 0);
        ++signals_of_size[size];
    }
    std::size_t values = 0;
    for (std::size_t size = 0; size < signals_of_size.size(); ++size) {
        const std::size_t signals = signals_of_size[size];
        const std::size_t tiles = signals / tile_width + std::min(signals, signal_parts(codes.count()));
        values += tiles * tile_width * TileValues<double>::entries(size);
    }
    return values;
}

}  // namespace

/// Products of all atoms.
struct CircleCosts::Tables {
    explicit Tables(const Circles& of)
        : circles(of),
          start_start(of.start.cols(), of.start.cols()),
          direction_direction(start_start),
          direction_start(start_start) {
        multiply_transposed(of.start, of.start, start_start);
        multiply_transposed(of.direction, of.direction, direction_direction);
        multiply_transposed(of.direction, of.start, direction_start);
    }

    const Circles& circles;
    Mat start_start, direction_direction, direction_start;
};

bool CircleCosts::begin(const Circles& circles, const SparsePass& pass) {
    const auto size = [&](std::size_t l) { return code_size(pass.codes, l); };
    signals_ = pass.codes.count();
    if (values_kept(pass.codes) > most_values) return false;

    const Tables tables(circles);
    weight_ = circles.weight;
    start_norm2_ = tables.start_start.diagonal();
    cross_ = tables.direction_start.diagonal();
    direction_norm2_ = tables.direction_direction.diagonal();
    parts_.resize(signal_parts(signals_));
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
            gather(tables, pass, i, end - i, part);
        }
    });
    return true;
}

/// Adds the tile of so many signals, from the first of the order on.
void CircleCosts::gather(const Tables& tables, const SparsePass& pass, std::size_t first, std::size_t signals,
                         Part& part) {
    constexpr std::size_t w = tile_width;
    const SparseCodes& codes = pass.codes;
    const std::size_t size = code_size(codes, part.order[first]);
    const std::size_t values = TileValues<double>::entries(size) * w;
    const Tile& tile = part.tiles.emplace_back(Tile{size, first, signals, part.atoms.size(), part.used});
    part.used += values;
    part.atoms.resize(part.atoms.size() + size * w, 0);
    if (part.used > part.values.size()) part.values.resize(part.used + part.used / 2);
    std::uint32_t* const atoms = part.atoms.data() + tile.atoms;
    const TileValues<double> to(part.values.data() + tile.values, size);
    if (signals < w) {  // where there is no signal, orthonormal atoms and zeros cost nothing
        std::fill_n(to.x0, values, 0.0);
        for (std::size_t i = 0; i < size; ++i) {
            std::fill_n(to.start_start + (triangle(i) + i) * w, w, 1.0);
            std::fill_n(to.direction_direction + (triangle(i) + i) * w, w, 1.0);
        }
    }
    for (std::size_t s = 0; s < signals; ++s) {
        const std::size_t l = part.order[first + s], entry = codes.start[l];
        const auto left = pass.residual.col(static_cast<Eigen::Index>(l));
        part.residual2 += left.squaredNorm();
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t n = codes.atom[entry + i];
            const double *const start_start = tables.start_start.col(n).data(),
                                *const direction_direction = tables.direction_direction.col(n).data(),
                                *const start_direction = tables.direction_start.col(n).data();
            atoms[i * w + s] = n;
            to.x0[i * w + s] = codes.value[entry + i];
            to.start_left[i * w + s] = tables.circles.start.col(n).dot(left);
            to.direction_left[i * w + s] = tables.circles.direction.col(n).dot(left);
            for (std::size_t j = 0; j < size; ++j) {
                const std::uint32_t k = codes.atom[entry + j];
                to.start_direction[(i * size + j) * w + s] = start_direction[k];
                if (j > i) continue;
                to.start_start[(triangle(i) + j) * w + s] = start_start[k];
                to.direction_direction[(triangle(i) + j) * w + s] = direction_direction[k];
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
    Mat point(2, weight_.size());  // a and b of each atom
    for (Eigen::Index n = 0; n < weight_.size(); ++n) {
        const double a = std::cos(angle * weight_[n]), b = std::sin(angle * weight_[n]);
        const double norm2 = a * a * start_norm2_[n] + b * (2.0 * a * cross_[n] + b * direction_norm2_[n]);
        point.col(n) << a, b;
        if (weight_[n] > 0.0) point.col(n) /= std::sqrt(norm2);
    }
    std::vector<double> costs(parts_.size());
    for_each_signal_part(signals_, threads_, [&](std::size_t index, std::size_t, std::size_t) {
        constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
        costs[index] = part_cost(parts_[index], point, mu, codes).value_or(nothing);
    });
    const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
    return std::isfinite(cost) ? std::optional(cost) : std::nullopt;
}

std::optional<double> CircleCosts::part_cost(const Part& part, const Mat& point, double mu, SparseCodes* codes) {
    AlignedDoubles a, b, x, u, v, factor, sum(tile_width, 0.0);
    for (const Tile& tile : part.tiles) {
        const std::size_t numbers = tile.size * tile_width;
        for (auto* list : {&a, &b, &x, &u, &v}) list->resize(numbers);
        factor.resize(triangle(tile.size) * tile_width);
        for (std::size_t i = 0; i < numbers; ++i) {
            const auto n = static_cast<Eigen::Index>(part.atoms[tile.atoms + i]);
            a[i] = point(0, n);
            b[i] = point(1, n);
        }
        const bool solved = add_tile_cost({.size = tile.size,
                                           .values = {part.values.data() + tile.values, tile.size},
                                           .mu = mu,
                                           .a = a.data(),
                                           .b = b.data(),
                                           .x = x.data(),
                                           .u = u.data(),
                                           .v = v.data(),
                                           .factor = factor.data(),
                                           .cost = sum.data()});
        if (!solved) return std::nullopt;
        if (codes == nullptr) continue;
        for (std::size_t s = 0; s < tile.signals; ++s)
            for (std::size_t i = 0; i < tile.size; ++i)
                codes->value[codes->start[part.order[tile.first + s]] + i] = x[i * tile_width + s];
    }
    return part.residual2 + std::accumulate(sum.begin(), sum.end(), 0.0);
}

}  // namespace sbdl
