// The covariance of one signal at a time, Sigma = (G + diag(alpha))^{-1}, for orders too large for one matrix per lane.
// Included once per instruction set; see vb_block.cpp.
//
// One square array, column-major, holds the strictly lower blocks of the Cholesky factor L and the upper blocks of
// U = L^{-T}. All work is done by one register tile, a few vectors of rows by panel_columns columns, from which
// sum_k A(row, k) B(column, k) is subtracted with both factors in their original layout:
//
//     [ G + diag(alpha) ]  =  [ L ] L^T    column panel after column panel, left-looking: known products are subtracted
//     [        I        ]     [ U ]        from the tile, which is then solved against the panel's corner in registers
//     Sigma = U U^T                        added to the sum over the signals, lower triangle
//
// Each of L, U and Sigma takes order^3 / 3 flops.
#if defined(SBDL_CPU_PANELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_PANELS_INL
#undef SBDL_CPU_PANELS_INL
#else
#define SBDL_CPU_PANELS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// 3 x 8 sums need the 32 registers that come with wide vectors; 3 x 4 fit into 16. Divides every order.
constexpr std::size_t panel_columns = HWY_MAX_BYTES >= 64 ? 8 : 4;
constexpr std::size_t panel_vectors = 3;

using P = hn::CappedTag<double, panel_columns>;
using VP = hn::Vec<P>;
using PanelTile = VP[panel_vectors][panel_columns];

/// The arrays of one signal's system; columns are `step` apart.
struct PanelSystem {
    std::size_t order = 0, step = 0;
    const double* gram = nullptr;   ///< G, column-major; blocks above the diagonal are not read
    const double* alpha = nullptr;  ///< order
    double* factors = nullptr;      ///< L and U, as above
    double* pivots = nullptr;       ///< order; their product is det (G + diag(alpha))
};

/// acc(row, column) -= sum over `depth` columns k of a(row, k) b(column, k), for the tile's first `Vectors`.
template <std::size_t Vectors>
HWY_INLINE void subtract_products(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, std::size_t step,
                                  std::size_t depth, PanelTile& acc) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    for (std::size_t k = 0; k < depth; ++k, a += step, b += step) {
        VP x[Vectors];
        SBDL_UNROLL
        for (std::size_t v = 0; v < Vectors; ++v) x[v] = hn::Load(p, a + v * w);
        SBDL_UNROLL
        for (std::size_t c = 0; c < panel_columns; ++c) {
            const VP y = hn::Set(p, b[c]);
            SBDL_UNROLL
            for (std::size_t v = 0; v < Vectors; ++v) acc[v][c] = hn::NegMulAdd(x[v], y, acc[v][c]);
        }
    }
}

/// The same with a = U, whose row r starts at the block of column r: from there to column `end`.
template <std::size_t Vectors>
HWY_INLINE void subtract_upper(const PanelSystem& system, std::size_t row, std::size_t b_row, std::size_t end,
                               PanelTile& acc) {
    const std::size_t w = hn::Lanes(P());
    const auto start = [&](std::size_t v) { return (row + v * w) / panel_columns * panel_columns; };
    const auto from_to = [&](auto active, std::size_t from, std::size_t to) HWY_ATTR {
        const double* columns = system.factors + from * system.step;
        subtract_products<active()>(columns + row, columns + b_row, system.step, to - from, acc);
    };
    if constexpr (Vectors > 1) from_to(std::integral_constant<std::size_t, 1>(), start(0), start(1));
    if constexpr (Vectors > 2) from_to(std::integral_constant<std::size_t, 2>(), start(1), start(2));
    from_to(std::integral_constant<std::size_t, Vectors>(), start(Vectors - 1), end);
}

/// tile = tile corner^{-T}, stored at `to`, columns `step` apart. The corner is column-major, with its diagonal
/// inverted.
template <std::size_t Vectors>
HWY_INLINE void solve_and_store(const double* HWY_RESTRICT corner, PanelTile& tile, double* HWY_RESTRICT to,
                                std::size_t step) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    SBDL_UNROLL
    for (std::size_t c = 0; c < panel_columns; ++c) {
        SBDL_UNROLL
        for (std::size_t k = 0; k < c; ++k) {
            const VP l = hn::Set(p, corner[k * panel_columns + c]);
            SBDL_UNROLL
            for (std::size_t v = 0; v < Vectors; ++v) tile[v][c] = hn::NegMulAdd(tile[v][k], l, tile[v][c]);
        }
        const VP inverse = hn::Set(p, corner[c * panel_columns + c]);
        SBDL_UNROLL
        for (std::size_t v = 0; v < Vectors; ++v) {
            tile[v][c] = hn::Mul(tile[v][c], inverse);
            hn::Store(tile[v][c], p, to + c * step + v * w);
        }
    }
}

/// step(number of vectors, first row) for the rows from `first` to `end` in tiles of up to panel_vectors.
template <class Step>
HWY_INLINE void over_rows(std::size_t first, std::size_t end, const Step& step) {
    const std::size_t w = hn::Lanes(P());
    while (first < end) {
        const std::size_t left = (end - first) / w;
        if (left >= 3 && left != 4) {  // four are faster as two and two
            step(std::integral_constant<std::size_t, 3>(), first);
            first += 3 * w;
        } else if (left >= 2) {
            step(std::integral_constant<std::size_t, 2>(), first);
            first += 2 * w;
        } else {
            step(std::integral_constant<std::size_t, 1>(), first);
            first += w;
        }
    }
}

/// The panel's corner of L. Pivots are at least alpha, as in exact arithmetic.
HWY_INLINE void factor_corner(const PanelSystem& system, std::size_t column, double* HWY_RESTRICT corner) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    constexpr std::size_t n = panel_columns;
    for (std::size_t r = 0; r < n; r += w) {
        PanelTile tile;
        SBDL_UNROLL
        for (std::size_t c = 0; c < n; ++c)
            tile[0][c] = hn::Load(p, system.gram + (column + c) * system.step + column + r);
        subtract_products<1>(system.factors + column + r, system.factors + column, system.step, column, tile);
        SBDL_UNROLL
        for (std::size_t c = 0; c < n; ++c) hn::Store(tile[0][c], p, corner + c * n + r);
    }
    SBDL_UNROLL
    for (std::size_t c = 0; c < n; ++c) {
        const double alpha = system.alpha[column + c];
        const double pivot = std::max(corner[c * n + c] + alpha, alpha);
        const double inverse = 1.0 / std::sqrt(pivot);
        system.pivots[column + c] = pivot;
        SBDL_UNROLL
        for (std::size_t r = c + 1; r < n; ++r) corner[c * n + r] *= inverse;
        corner[c * n + c] = inverse;
        SBDL_UNROLL
        for (std::size_t k = c + 1; k < n; ++k) SBDL_UNROLL
        for (std::size_t r = k; r < n; ++r) corner[k * n + r] -= corner[c * n + r] * corner[c * n + k];
    }
}

/// Fills system.factors and system.pivots.
HWY_INLINE void factor_and_invert(const PanelSystem& system) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    const std::size_t step = system.step;
    for (std::size_t column = 0; column < system.order; column += panel_columns) {
        HWY_ALIGN double corner[panel_columns * panel_columns];
        factor_corner(system, column, corner);
        double* const panel = system.factors + column * step;
        over_rows(column + panel_columns, system.order, [&](auto vectors, std::size_t row) HWY_ATTR {
            PanelTile tile;
            SBDL_UNROLL
            for (std::size_t c = 0; c < panel_columns; ++c)
                for (std::size_t v = 0; v < vectors(); ++v)
                    tile[v][c] = hn::Load(p, system.gram + (column + c) * step + row + v * w);
            subtract_products<vectors()>(system.factors + row, system.factors + column, step, column, tile);
            solve_and_store<vectors()>(corner, tile, panel + row, step);
        });
        over_rows(0, column, [&](auto vectors, std::size_t row) HWY_ATTR {
            PanelTile tile;
            SBDL_UNROLL
            for (std::size_t c = 0; c < panel_columns; ++c)
                for (std::size_t v = 0; v < vectors(); ++v) tile[v][c] = hn::Zero(p);
            subtract_upper<vectors()>(system, row, column, column, tile);
            solve_and_store<vectors()>(corner, tile, panel + row, step);
        });
        for (std::size_t r = 0; r < panel_columns; r += w) {
            PanelTile tile;
            SBDL_UNROLL
            for (std::size_t c = 0; c < panel_columns; ++c)
                tile[0][c] = hn::IfThenElseZero(
                    hn::Eq(hn::Iota(p, static_cast<double>(r)), hn::Set(p, static_cast<double>(c))), hn::Set(p, 1.0));
            solve_and_store<1>(corner, tile, panel + column + r, step);
        }
    }
}

/// sum += U U^T, lower blocks, in the layout of the Gram matrix.
HWY_INLINE void add_upper_products(const PanelSystem& system, double* HWY_RESTRICT sum) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    for (std::size_t column = 0; column < system.order; column += panel_columns)
        over_rows(column, system.order, [&](auto vectors, std::size_t row) HWY_ATTR {
            PanelTile tile;
            SBDL_UNROLL
            for (std::size_t c = 0; c < panel_columns; ++c)
                for (std::size_t v = 0; v < vectors(); ++v) tile[v][c] = hn::Zero(p);
            subtract_upper<vectors()>(system, row, column, system.order, tile);
            SBDL_UNROLL
            for (std::size_t c = 0; c < panel_columns; ++c)
                for (std::size_t v = 0; v < vectors(); ++v) {
                    double* at = sum + (column + c) * system.step + row + v * w;
                    hn::Store(hn::Sub(hn::Load(p, at), tile[v][c]), p, at);
                }
        });
}

/// solved = U U^T x and variance = diag(U U^T), in one pass over U.
HWY_INLINE void solve_and_variances(const PanelSystem& system, const double* HWY_RESTRICT x,
                                    double* HWY_RESTRICT solved, double* HWY_RESTRICT variance) {
    const P p;
    const std::size_t w = hn::Lanes(p);
    std::fill(solved, solved + system.order, 0.0);
    std::fill(variance, variance + system.order, 0.0);
    for (std::size_t k = 0; k < system.order; ++k) {
        const double* HWY_RESTRICT u = system.factors + k * system.step;
        const std::size_t rows = (k / panel_columns + 1) * panel_columns;
        VP dot = hn::Zero(p);
        for (std::size_t r = 0; r < rows; r += w) dot = hn::MulAdd(hn::Load(p, u + r), hn::Load(p, x + r), dot);
        dot = hn::SumOfLanes(p, dot);
        for (std::size_t r = 0; r < rows; r += w) {
            const VP ur = hn::Load(p, u + r);
            hn::Store(hn::MulAdd(ur, dot, hn::Load(p, solved + r)), p, solved + r);
            hn::Store(hn::MulAdd(ur, ur, hn::Load(p, variance + r)), p, variance + r);
        }
    }
}

HWY_INLINE double sum_of_logs(const double* HWY_RESTRICT values, std::size_t count) {
    const P p;
    VP sum = hn::Zero(p);
    for (std::size_t i = 0; i < count; i += hn::Lanes(p)) sum = hn::Add(sum, hn::Log(p, hn::Load(p, values + i)));
    return hn::GetLane(hn::SumOfLanes(p, sum));
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
