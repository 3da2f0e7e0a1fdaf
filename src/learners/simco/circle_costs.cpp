#include "learners/simco/circle_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/products.hpp"
#include "learners/code_products.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_values = 1U << 23;  // numbers kept in all: 64 MiB

constexpr std::size_t triangle(std::size_t i) {
    return i * (i + 1) / 2;
}

constexpr std::size_t values_of(std::size_t size) {
    return 5 * size + 2 * triangle(size) + size * size;
}

std::size_t code_size(const SparseCodes& codes, std::size_t l) {
    return codes.start[l + 1] - codes.start[l];
}

/// What is kept of a tile, by name: a vector has an entry an atom of the code, a triangle the entries (i, j), j <= i.
template <class Value>
struct TileValues {
    TileValues(Value* first, std::size_t size)
        : x0(first),
          start_left(x0 + size),
          direction_left(start_left + size),
          start_signal(direction_left + size),
          direction_signal(start_signal + size),
          start_start(direction_signal + size),
          direction_direction(start_start + triangle(size)),
          start_direction(direction_direction + triangle(size)) {}

    Value *x0, *start_left, *direction_left;  // the codes, D^T r0, H^T r0
    Value *start_signal, *direction_signal;   // D^T y, H^T y
    Value *start_start, *direction_direction;
    Value* start_direction;  // the whole square, a row an atom of D
};

}  // namespace

/// Products of all atoms.
struct CircleCosts::Tables {
    explicit Tables(const Circles& of)
        : circles(of),
          start_start(of.start.cols(), of.start.cols()),
          direction_direction(start_start),
          start_direction(start_start) {
        multiply_transposed(of.start, of.start, start_start);
        multiply_transposed(of.direction, of.direction, direction_direction);
        multiply_transposed(of.start, of.direction, start_direction);
    }

    const Circles& circles;
    Mat start_start, direction_direction, start_direction;
};

struct CircleCosts::Scratch {
    std::vector<Lanes> a, b;    // the point's, of the atoms of the codes
    std::vector<Lanes> factor;  // lower triangle; 1 / its diagonal
    std::vector<Lanes> x, u, v;

    void resize(std::size_t size) {
        for (auto* list : {&a, &b, &x, &u, &v}) list->resize(size);
        factor.resize(triangle(size));
    }
};

bool CircleCosts::begin(const Circles& circles, const OmpPass& pass) {
    signals_ = pass.codes.count();
    std::size_t values = 0;
    for (std::size_t l = 0; l < signals_ && values <= most_values; ++l) values += values_of(code_size(pass.codes, l));
    if (values > most_values) return false;

    const Tables tables(circles);
    weight_ = circles.weight;
    start_norm2_ = tables.start_start.diagonal();
    cross_ = tables.start_direction.diagonal();
    direction_norm2_ = tables.direction_direction.diagonal();
    parts_.resize(signal_parts(signals_));
    for_each_signal_part(signals_, threads_, [&](std::size_t index, std::size_t first, std::size_t count) {
        Part& part = parts_[index];
        part.tiles.clear();
        part.atoms.clear();
        part.values.clear();
        part.residual2 = 0.0;
        part.order.resize(count);
        std::iota(part.order.begin(), part.order.end(), first);
        const auto size = [&](std::size_t l) { return code_size(pass.codes, l); };
        const auto smaller = [&](std::size_t l, std::size_t k) { return size(l) < size(k); };
        if (!std::is_sorted(part.order.begin(), part.order.end(), smaller))
            std::stable_sort(part.order.begin(), part.order.end(), smaller);
        for (std::size_t i = 0, end = 0; i < count; i = end) {
            while (end < count && end < i + width && size(part.order[end]) == size(part.order[i])) ++end;
            gather(tables, pass, std::span(part.order).subspan(i, end - i), part);
        }
    });
    return true;
}

/// Adds a tile. Lanes without a signal have the atoms' products of an orthonormal code and zeros: they cost nothing.
void CircleCosts::gather(const Tables& tables, const OmpPass& pass, std::span<const std::size_t> signals, Part& part) {
    const SparseCodes& codes = pass.codes;
    const std::size_t size = code_size(codes, signals[0]);
    part.tiles.push_back({size, part.atoms.size(), part.values.size()});
    part.atoms.resize(part.atoms.size() + size * width, 0);
    part.values.resize(part.values.size() + values_of(size), Lanes::Zero());
    std::uint32_t* const atoms = part.atoms.data() + part.tiles.back().atoms;
    const TileValues<Lanes> to(part.values.data() + part.tiles.back().values, size);
    for (std::size_t i = 0; i < size; ++i) {
        to.start_start[triangle(i) + i].setOnes();
        to.direction_direction[triangle(i) + i].setOnes();
    }
    for (std::size_t s = 0; s < signals.size(); ++s) {
        const auto lane = static_cast<Eigen::Index>(s);
        const std::size_t first = codes.start[signals[s]];
        const auto left = pass.residual.col(static_cast<Eigen::Index>(signals[s]));
        part.residual2 += left.squaredNorm();
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t n = codes.atom[first + i];
            atoms[i * width + s] = n;
            to.x0[i][lane] = codes.value[first + i];
            to.start_left[i][lane] = tables.circles.start.col(n).dot(left);
            to.direction_left[i][lane] = tables.circles.direction.col(n).dot(left);
            for (std::size_t j = 0; j < size; ++j) {
                const std::uint32_t k = codes.atom[first + j];
                to.start_direction[i * size + j][lane] = tables.start_direction(n, k);
                if (j > i) continue;
                to.start_start[triangle(i) + j][lane] = tables.start_start(n, k);
                to.direction_direction[triangle(i) + j][lane] = tables.direction_direction(n, k);
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) {  // y = r0 + D x0
        to.start_signal[i] = to.start_left[i];
        to.direction_signal[i] = to.direction_left[i];
        for (std::size_t j = 0; j < size; ++j) {
            to.start_signal[i] += to.start_start[j <= i ? triangle(i) + j : triangle(j) + i] * to.x0[j];
            to.direction_signal[i] += to.start_direction[j * size + i] * to.x0[j];
        }
    }
}

std::optional<double> CircleCosts::at(double angle, double mu) const {
    Mat point(2, weight_.size());  // a and b of each atom
    for (Eigen::Index n = 0; n < weight_.size(); ++n) {
        const double a = std::cos(angle * weight_[n]), b = std::sin(angle * weight_[n]);
        const double norm2 = a * a * start_norm2_[n] + b * (2.0 * a * cross_[n] + b * direction_norm2_[n]);
        point.col(n) << a, b;
        if (weight_[n] > 0.0) point.col(n) /= std::sqrt(norm2);
    }
    std::vector<double> costs(parts_.size());
    for_each_signal_part(signals_, threads_, [&](std::size_t index, std::size_t, std::size_t) {
        const Part& part = parts_[index];
        Scratch scratch;
        Lanes sum = Lanes::Zero();
        bool solved = true;
        for (const Tile& tile : part.tiles) solved = solved && add_cost(part, tile, point, mu, scratch, sum);
        costs[index] = solved ? part.residual2 + sum.sum() : std::numeric_limits<double>::quiet_NaN();
    });
    const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
    return std::isfinite(cost) ? std::optional(cost) : std::nullopt;
}

/// Adds ||y - D(t) x||^2 + mu ||x||^2 - ||r0||^2 of a tile's signals. False where a pivot is not positive.
bool CircleCosts::add_cost(const Part& part, const Tile& tile, const Mat& point, double mu, Scratch& scratch,
                           Lanes& sum) {
    const std::size_t size = tile.size;
    const TileValues<const Lanes> of(part.values.data() + tile.values, size);
    scratch.resize(size);
    auto& [a, b, factor, x, u, v] = scratch;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t* const atoms = part.atoms.data() + tile.atoms + i * width;
        for (Eigen::Index lane = 0; lane < width; ++lane) {
            a[i][lane] = point(0, atoms[lane]);
            b[i][lane] = point(1, atoms[lane]);
        }
    }
    // D(t)^T D(t) + mu I = L L^T and L x = D(t)^T y, a row at a time.
    Lanes least = Lanes::Constant(std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < size; ++i) {
        Lanes* const row = factor.data() + triangle(i);
        x[i] = a[i] * of.start_signal[i] + b[i] * of.direction_signal[i];
        for (std::size_t j = 0; j <= i; ++j) {
            const std::size_t ij = triangle(i) + j;
            Lanes entry = a[j] * (a[i] * of.start_start[ij] + b[i] * of.start_direction[j * size + i]) +
                          b[j] * (a[i] * of.start_direction[i * size + j] + b[i] * of.direction_direction[ij]);
            for (std::size_t k = 0; k < j; ++k) entry -= row[k] * factor[triangle(j) + k];
            if (j < i) {
                row[j] = entry * factor[triangle(j) + j];
                x[i] -= row[j] * x[j];
            } else {
                entry += mu;
                least = least.min(entry);
                row[i] = entry.sqrt().inverse();
                x[i] *= row[i];
            }
        }
    }
    for (std::size_t i = size; i-- > 0;) {
        x[i] *= factor[triangle(i) + i];
        for (std::size_t j = 0; j < i; ++j) x[j] -= factor[triangle(i) + j] * x[i];
        u[i] = of.x0[i] - a[i] * x[i];
        v[i] = -b[i] * x[i];
    }
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t ii = triangle(i) + i;
        Lanes from_u = 2.0 * of.start_left[i] + of.start_start[ii] * u[i];
        Lanes from_v = 2.0 * of.direction_left[i] + of.direction_direction[ii] * v[i];
        for (std::size_t j = 0; j < i; ++j) {
            from_u += 2.0 * of.start_start[triangle(i) + j] * u[j];
            from_v += 2.0 * of.direction_direction[triangle(i) + j] * v[j];
        }
        for (std::size_t j = 0; j < size; ++j) from_u += 2.0 * of.start_direction[i * size + j] * v[j];
        sum += from_u * u[i] + from_v * v[i] + mu * x[i] * x[i];
    }
    return least.minCoeff() > 0.0;
}

}  // namespace sbdl
