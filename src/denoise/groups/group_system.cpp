#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "denoise/groups/group_system.cpp"  // NOLINT: compiled once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/aligned.hpp"
#include "denoise/groups/group_system.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using GroupTag = hn::CappedTag<double, group_padding>;
using GroupVec = hn::Vec<GroupTag>;

constexpr std::size_t four = columns_at_once;
// A tile has this many vectors of four columns each: as many sums as there are registers for.
constexpr std::size_t most_vectors = HWY_TARGET <= HWY_AVX3 ? 5 : 3;

/// Calls body with the tile's number of vectors, which the compiler knows.
template <std::size_t vectors = 1, class Body>
HWY_INLINE void with_constant(std::size_t number, const Body& body) {
    if constexpr (vectors < most_vectors)
        if (number > vectors) return with_constant<vectors + 1>(number, body);
    body(std::integral_constant<std::size_t, vectors>());
}

/// Calls body(first, number) for tiles of about the same height, `count` vectors in all.
template <class Body>
HWY_INLINE void in_tiles(std::size_t count, const Body& body) {
    const std::size_t tiles = (count + most_vectors - 1) / most_vectors;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        const std::size_t first = tile * count / tiles, end = (tile + 1) * count / tiles;
        with_constant(end - first, [&](auto number) HWY_ATTR { body(first, number); });
    }
}

/// sums[v][q] += or -= sum over k of rows_k,v factor_k,q. Row vectors of step k are at rows + k * row_step; factor q of
/// step k is at factors + k * factor_step + q * column_step.
template <bool subtract, std::size_t vectors>
HWY_INLINE void add_products(const double* HWY_RESTRICT rows, std::size_t row_step, const double* HWY_RESTRICT factors,
                             std::size_t factor_step, std::size_t column_step, std::size_t depth,
                             GroupVec (&sums)[vectors][four]) {
    const GroupTag tag;
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t k = 0; k < depth; ++k) {
        GroupVec row[vectors];
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v) row[v] = hn::Load(tag, rows + k * row_step + v * w);
        HWY_UNROLL(8)
        for (std::size_t q = 0; q < four; ++q) {
            const GroupVec factor = hn::Set(tag, factors[k * factor_step + q * column_step]);
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < vectors; ++v)
                sums[v][q] =
                    subtract ? hn::NegMulAdd(row[v], factor, sums[v][q]) : hn::MulAdd(row[v], factor, sums[v][q]);
        }
    }
}

template <std::size_t vectors>
HWY_INLINE void load_tile(const double* HWY_RESTRICT from, std::size_t step, GroupVec (&tile)[vectors][four]) {
    const GroupTag tag;
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) {
        HWY_UNROLL(8)
        for (std::size_t q = 0; q < four; ++q) tile[v][q] = hn::Load(tag, from + q * step + v * hn::Lanes(tag));
    }
}

template <std::size_t vectors>
HWY_INLINE void clear_tile(GroupVec (&tile)[vectors][four]) {
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) {
        HWY_UNROLL(8)
        for (std::size_t q = 0; q < four; ++q) tile[v][q] = hn::Zero(GroupTag());
    }
}

template <std::size_t vectors>
HWY_INLINE void store_tile(const GroupVec (&tile)[vectors][four], std::size_t step, double* HWY_RESTRICT to,
                           double scale = 1.0) {
    const GroupTag tag;
    const GroupVec times = hn::Set(tag, scale);
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) {
        HWY_UNROLL(8)
        for (std::size_t q = 0; q < four; ++q)
            hn::Store(hn::Mul(tile[v][q], times), tag, to + q * step + v * hn::Lanes(tag));
    }
}

void group_gram_lanes(const double* HWY_RESTRICT a, std::size_t dim, std::size_t count, double scale,
                      double* HWY_RESTRICT gram, std::size_t step) {
    const GroupTag tag;
    const std::size_t w = hn::Lanes(tag), padded = round_up(dim, group_padding), order = round_up(dim, four);
    for (std::size_t j = 0; j < order; j += four) {
        const std::size_t top = j / w * w;  // the vector with the diagonal
        in_tiles((padded - top) / w, [&](std::size_t first, auto vectors) HWY_ATTR {
            GroupVec sums[vectors][four];
            clear_tile<vectors>(sums);
            add_products<false, vectors>(a + top + first * w, padded, a + j, padded, 1, count, sums);
            store_tile<vectors>(sums, step, gram + j * step + top + first * w, scale);
        });
    }
    for (std::size_t j = 0; j < order; ++j)
        for (std::size_t i = j + 1; i < order; ++i) gram[i * step + j] = gram[j * step + i];
}

/// The factor of four rows and columns on the diagonal, in place, and 1 over its diagonal.
HWY_INLINE void factor_corner(double* HWY_RESTRICT corner, std::size_t step, double (&inverse)[four]) {
    for (std::size_t q = 0; q < four; ++q) {
        for (std::size_t i = q; i < four; ++i)
            for (std::size_t r = 0; r < q; ++r) corner[q * step + i] -= corner[r * step + i] * corner[r * step + q];
        const double root = std::sqrt(std::max(corner[q * step + q], 1.0));
        inverse[q] = 1.0 / root;
        corner[q * step + q] = root;
        for (std::size_t i = q + 1; i < four; ++i) corner[q * step + i] *= inverse[q];
    }
}

// Left-looking, four columns at a time. The rows of Z^T below those of S become (L^-1 Z)^T on the way.
HWY_INLINE void factor_columns(double* HWY_RESTRICT columns, std::size_t order, std::size_t step) {
    const GroupTag tag;
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t j = 0; j < order; j += four) {
        double* const here = columns + j * step;
        const std::size_t top = j / w * w;
        in_tiles((step - top) / w, [&](std::size_t first, auto vectors) HWY_ATTR {
            double* const tile = here + top + first * w;
            GroupVec sums[vectors][four];
            load_tile<vectors>(tile, step, sums);
            add_products<true, vectors>(columns + top + first * w, step, columns + j, step, 1, j, sums);
            store_tile<vectors>(sums, step, tile);
        });
        double inverse[four];
        factor_corner(here + j, step, inverse);
        // The corner has been factored; the rows below it follow. A vector that has both is written in part.
        for (std::size_t row = j + four; row % w != 0 && row < step; ++row)
            for (std::size_t q = 0; q < four; ++q) {
                for (std::size_t r = 0; r < q; ++r)
                    here[q * step + row] -= here[r * step + row] * here[r * step + j + q];
                here[q * step + row] *= inverse[q];
            }
        for (std::size_t row = round_up(j + four, w); row < step; row += w) {
            GroupVec x[1][four];
            load_tile<1>(here + row, step, x);
            HWY_UNROLL(8)
            for (std::size_t q = 0; q < four; ++q) {
                HWY_UNROLL(8)
                for (std::size_t r = 0; r < q; ++r)
                    x[0][q] = hn::NegMulAdd(x[0][r], hn::Set(tag, here[r * step + j + q]), x[0][q]);
                x[0][q] = hn::Mul(x[0][q], hn::Set(tag, inverse[q]));
            }
            store_tile<1>(x, step, here + row);
        }
    }
}

/// The last step back, for the four columns whose corner this is.
template <std::size_t vectors>
HWY_INLINE void solve_corner(const double* HWY_RESTRICT corner, std::size_t step, GroupVec (&x)[vectors][four]) {
    const GroupTag tag;
    HWY_UNROLL(8)
    for (std::size_t back = 1; back <= four; ++back) {
        const std::size_t q = four - back;
        const GroupVec inverse = hn::Set(tag, 1.0 / corner[q * step + q]);
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v) {
            HWY_UNROLL(8)
            for (std::size_t r = q + 1; r < four; ++r)
                x[v][q] = hn::NegMulAdd(x[v][r], hn::Set(tag, corner[q * step + r]), x[v][q]);
            x[v][q] = hn::Mul(x[v][q], inverse);
        }
    }
}

// (L^-1 Z)^T becomes X^T, from the last columns to the first.
HWY_INLINE void solve_back(double* HWY_RESTRICT columns, std::size_t order, std::size_t step, std::size_t top) {
    const GroupTag tag;
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t j = order; j > 0;) {
        j -= four;
        double* const here = columns + j * step;
        const std::size_t later = j + four;
        in_tiles((step - top) / w, [&](std::size_t first, auto vectors) HWY_ATTR {
            const std::size_t row = top + first * w;
            GroupVec x[vectors][four];
            load_tile<vectors>(here + row, step, x);
            add_products<true, vectors>(columns + later * step + row, step, here + later, 1, step, order - later, x);
            solve_corner<vectors>(here + j, step, x);
            store_tile<vectors>(x, step, here + row);
        });
    }
}

void solve_group_system_lanes(double* HWY_RESTRICT columns, std::size_t dim, std::size_t count) {
    const std::size_t order = round_up(dim, four), top = round_up(dim, group_padding);
    const std::size_t step = top + round_up(count, group_padding);
    factor_columns(columns, order, step);
    solve_back(columns, order, step, top);
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(group_gram_lanes);
HWY_EXPORT(solve_group_system_lanes);

void group_gram(const double* a, std::size_t dim, std::size_t count, double scale, double* gram, std::size_t step) {
    HWY_DYNAMIC_DISPATCH(group_gram_lanes)(a, dim, count, scale, gram, step);
}

void solve_group_system(double* columns, std::size_t dim, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(solve_group_system_lanes)(columns, dim, count);
}

}  // namespace sbdl
#endif
