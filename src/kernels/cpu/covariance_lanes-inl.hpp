// The covariances of VB, one signal per vector lane: inverses of triangles, L^{-1} D of the M x M form, and sums over
// signals, which stay separate in their lanes until the block ends. Layouts as in lanes-inl.hpp. Included once per
// instruction set; see vb_block.cpp.
#if defined(SBDL_CPU_COVARIANCE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_COVARIANCE_LANES_INL
#undef SBDL_CPU_COVARIANCE_LANES_INL
#else
#define SBDL_CPU_COVARIANCE_LANES_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

using Tile4 = VF[4][4];

HWY_INLINE void set_zero(Tile4& tile) {
    SBDL_UNROLL
    for (auto& row : tile) SBDL_UNROLL
    for (auto& v : row) v = hn::Zero(F());
}

/// tile(i, j) = sum over k of tile(i, k) (corner^{-T})(k, j), that is, solved against the rows of a lower 4 x 4 corner
/// whose diagonal is stored inverted.
HWY_INLINE void solve_rows(const Tile4& corner, Tile4& tile) {
    SBDL_UNROLL
    for (std::size_t j = 0; j < 4; ++j) SBDL_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
        SBDL_UNROLL
        for (std::size_t k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], corner[j][k], tile[i][j]);
        tile[i][j] = hn::Mul(tile[i][j], corner[j][j]);
    }
}

/// t = the Cholesky factor L of the matrix whose entry (i, j), j <= i, is start(i, j); afterwards the diagonal holds 1
/// / L_ii. `floor` (one vector per index) is a lower bound of every pivot in exact arithmetic; rounding must not take a
/// pivot below it. Returns the logarithm of the determinant in each lane. order^3 / 3 flops per lane.
///
/// Unlike cholesky() in lanes-inl.hpp it works by columns of blocks, which keeps the corner in registers and the rows
/// that all others are multiplied with in the nearest cache; and it does not need a copy of the matrix.
template <class Start, class Floor>
HWY_INLINE VF factor_triangle(double* HWY_RESTRICT t, std::size_t order, const Start& start, const Floor& floor) {
    const F f;
    const std::size_t w = lanes();
    const VF one = hn::Set(f, 1.0);
    VF log_det = hn::Zero(f);
    for (std::size_t j0 = 0; j0 < order; j0 += 4) {
        double* row[4];
        SBDL_UNROLL
        for (std::size_t j = 0; j < 4; ++j) row[j] = t + triangle(j0 + j) * w;
        Tile4 corner;
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
        for (std::size_t j = 0; j <= i; ++j) corner[i][j] = start(j0 + i, j0 + j);
        for (std::size_t k = 0; k < j0 * w; k += w) {
            VF x[4];
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) x[i] = hn::Load(f, row[i] + k);
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
            for (std::size_t j = 0; j <= i; ++j) corner[i][j] = hn::NegMulAdd(x[i], x[j], corner[i][j]);
        }
        VF pivots = one;  // one logarithm for four
        SBDL_UNROLL
        for (std::size_t j = 0; j < 4; ++j) {
            SBDL_UNROLL
            for (std::size_t k = 0; k < j; ++k) SBDL_UNROLL
            for (std::size_t i = j; i < 4; ++i) corner[i][j] = hn::NegMulAdd(corner[i][k], corner[j][k], corner[i][j]);
            const VF pivot = hn::Max(corner[j][j], floor(j0 + j));
            pivots = hn::Mul(pivots, pivot);
            corner[j][j] = hn::Div(one, hn::Sqrt(pivot));
            for (std::size_t i = j + 1; i < 4; ++i) corner[i][j] = hn::Mul(corner[i][j], corner[j][j]);
        }
        log_det = hn::Add(log_det, hn::Log(f, pivots));
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
        for (std::size_t j = 0; j <= i; ++j) hn::Store(corner[i][j], f, row[i] + (j0 + j) * w);
        for (std::size_t i0 = j0 + 4; i0 < order; i0 += 4) {
            Tile4 x;
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
            for (std::size_t j = 0; j < 4; ++j) x[i][j] = start(i0 + i, j0 + j);
            subtract_rows(t, i0, j0, j0, x);
            solve_rows(corner, x);
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
            for (std::size_t j = 0; j < 4; ++j) hn::Store(x[i][j], f, t + (triangle(i0 + i) + j0 + j) * w);
        }
    }
    return log_det;
}

/// In place, L becomes L^{-1} (its diagonal already holds 1 / L_ii). order^3 / 3 flops per lane, in 4 x 4 blocks: block
/// (i, j) of the inverse needs only the factor's blocks (i, k >= j), which are not yet overwritten.
HWY_INLINE void invert_triangle(double* HWY_RESTRICT t, std::size_t order) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t i0 = 0; i0 < order; i0 += 4) {
        double* row[4];
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) row[i] = t + triangle(i0 + i) * w;
        Tile4 corner;
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
        for (std::size_t k = 0; k <= i; ++k) corner[i][k] = hn::Load(f, row[i] + (i0 + k) * w);
        for (std::size_t j0 = 0; j0 < i0; j0 += 4) {
            Tile4 x;
            set_zero(x);
            SBDL_UNROLL
            for (std::size_t k = 0; k < 4; ++k)  // the inverse's block on the diagonal
                SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) {
                const VF l = hn::Load(f, row[i] + (j0 + k) * w);
                SBDL_UNROLL
                for (std::size_t c = 0; c <= k; ++c)
                    x[i][c] = hn::NegMulAdd(l, hn::Load(f, t + (triangle(j0 + k) + j0 + c) * w), x[i][c]);
            }
            const double* below = t + (triangle(j0 + 4) + j0) * w;
            for (std::size_t k = j0 + 4; k < i0; ++k) {
                const VF x0 = hn::Load(f, below), x1 = hn::Load(f, below + w), x2 = hn::Load(f, below + 2 * w),
                         x3 = hn::Load(f, below + 3 * w);
                below += (k + 1) * w;
                SBDL_UNROLL
                for (std::size_t i = 0; i < 4; ++i) {
                    const VF l = hn::Load(f, row[i] + k * w);
                    x[i][0] = hn::NegMulAdd(l, x0, x[i][0]);
                    x[i][1] = hn::NegMulAdd(l, x1, x[i][1]);
                    x[i][2] = hn::NegMulAdd(l, x2, x[i][2]);
                    x[i][3] = hn::NegMulAdd(l, x3, x[i][3]);
                }
            }
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
            for (std::size_t c = 0; c < 4; ++c) {
                SBDL_UNROLL
                for (std::size_t k = 0; k < i; ++k) x[i][c] = hn::NegMulAdd(corner[i][k], x[k][c], x[i][c]);
                x[i][c] = hn::Mul(x[i][c], corner[i][i]);
            }
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
            for (std::size_t c = 0; c < 4; ++c) hn::Store(x[i][c], f, row[i] + (j0 + c) * w);
        }
        SBDL_UNROLL
        for (std::size_t i = 1; i < 4; ++i) SBDL_UNROLL
        for (std::size_t c = 0; c < i; ++c) {
            VF sum = hn::Zero(f);
            SBDL_UNROLL
            for (std::size_t k = c; k < i; ++k) sum = hn::MulAdd(corner[i][k], hn::Load(f, row[k] + (i0 + c) * w), sum);
            hn::Store(hn::Neg(hn::Mul(sum, corner[i][i])), f, row[i] + (i0 + c) * w);
        }
    }
}

/// solved = t^T t x and variance = diag(t^T t) for the inverse triangle t of one vector, in one pass over it; x, solved
/// and variance in rows layout, rows `step` apart.
HWY_INLINE void apply_inverse(const double* HWY_RESTRICT t, std::size_t order, std::size_t step,
                              const double* HWY_RESTRICT x, double* HWY_RESTRICT solved,
                              double* HWY_RESTRICT variance) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t i0 = 0; i0 < order; i0 += 4) {
        const double* row[4];
        VF half[4];  // t x, four entries
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) {
            row[i] = t + triangle(i0 + i) * w;
            half[i] = hn::Zero(f);
        }
        for (std::size_t n = 0; n < i0; ++n) {
            const VF xn = hn::Load(f, x + n * step);
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) half[i] = hn::MulAdd(hn::Load(f, row[i] + n * w), xn, half[i]);
        }
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) SBDL_UNROLL
        for (std::size_t n = i0; n <= i0 + i; ++n)
            half[i] = hn::MulAdd(hn::Load(f, row[i] + n * w), hn::Load(f, x + n * step), half[i]);
        for (std::size_t n = 0; n < i0; ++n) {
            VF s = hn::Load(f, solved + n * step), v = hn::Load(f, variance + n * step);
            SBDL_UNROLL
            for (std::size_t i = 0; i < 4; ++i) {
                const VF entry = hn::Load(f, row[i] + n * w);
                s = hn::MulAdd(entry, half[i], s);
                v = hn::MulAdd(entry, entry, v);
            }
            hn::Store(s, f, solved + n * step);
            hn::Store(v, f, variance + n * step);
        }
        SBDL_UNROLL
        for (std::size_t n = 0; n < 4; ++n) {
            VF s = hn::Zero(f), v = hn::Zero(f);
            SBDL_UNROLL
            for (std::size_t i = n; i < 4; ++i) {
                const VF entry = hn::Load(f, row[i] + (i0 + n) * w);
                s = hn::MulAdd(entry, half[i], s);
                v = hn::MulAdd(entry, entry, v);
            }
            hn::Store(s, f, solved + (i0 + n) * step);
            hn::Store(v, f, variance + (i0 + n) * step);
        }
    }
}

/// For a group of 4 atoms, z = L^{-1} d in registers, four entries of each at a time: z_n(i) scale_n is stored at
/// z + (n z_step + i) lanes, and |z_n|^2 returned in `norm_sq`. `inverse` is L^{-1}; d: [entry][atom]. order^2 flops
/// per atom and lane.
HWY_INLINE void multiply_atoms(const double* HWY_RESTRICT inverse, std::size_t order, const double* HWY_RESTRICT d,
                               const VF (&scale)[4], double* HWY_RESTRICT z, std::size_t z_step, VF (&norm_sq)[4]) {
    const F f;
    const std::size_t w = lanes();
    SBDL_UNROLL
    for (auto& n : norm_sq) n = hn::Zero(f);
    for (std::size_t i0 = 0; i0 < order; i0 += 4) {
        const double* row[4];
        SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) row[i] = inverse + triangle(i0 + i) * w;
        Tile4 acc;
        set_zero(acc);
        for (std::size_t k = 0; k < i0; ++k) {
            const VF l0 = hn::Load(f, row[0] + k * w), l1 = hn::Load(f, row[1] + k * w),
                     l2 = hn::Load(f, row[2] + k * w), l3 = hn::Load(f, row[3] + k * w);
            SBDL_UNROLL
            for (std::size_t q = 0; q < 4; ++q) {
                const VF entry = hn::Set(f, d[4 * k + q]);
                acc[0][q] = hn::MulAdd(l0, entry, acc[0][q]);
                acc[1][q] = hn::MulAdd(l1, entry, acc[1][q]);
                acc[2][q] = hn::MulAdd(l2, entry, acc[2][q]);
                acc[3][q] = hn::MulAdd(l3, entry, acc[3][q]);
            }
        }
        SBDL_UNROLL
        for (std::size_t k = 0; k < 4; ++k) SBDL_UNROLL
        for (std::size_t q = 0; q < 4; ++q) {
            const VF entry = hn::Set(f, d[4 * (i0 + k) + q]);
            SBDL_UNROLL
            for (std::size_t i = k; i < 4; ++i)
                acc[i][q] = hn::MulAdd(hn::Load(f, row[i] + (i0 + k) * w), entry, acc[i][q]);
        }
        SBDL_UNROLL
        for (std::size_t q = 0; q < 4; ++q) SBDL_UNROLL
        for (std::size_t i = 0; i < 4; ++i) {
            norm_sq[q] = hn::MulAdd(acc[i][q], acc[i][q], norm_sq[q]);
            hn::Store(hn::Mul(acc[i][q], scale[q]), f, z + (q * z_step + i0 + i) * w);
        }
    }
}

/// Adds a tile to the block (n0, m0) of a packed lower triangle of sums.
HWY_INLINE void add_tile(const Tile4& tile, std::size_t n0, std::size_t m0, double* HWY_RESTRICT sum) {
    const F f;
    const std::size_t w = lanes();
    SBDL_UNROLL
    for (std::size_t n = 0; n < 4; ++n) SBDL_UNROLL
    for (std::size_t m = 0; m < 4; ++m) {
        if (m0 + m > n0 + n) continue;
        double* at = sum + (triangle(n0 + n) + m0 + m) * w;
        hn::Store(hn::Add(hn::Load(f, at), tile[n][m]), f, at);
    }
}

/// sum(n, m) += sum over k < depth of z_n(k) z_m(k), lane by lane, lower triangle; z_n(k) at z + (n z_step + k) lanes.
/// `rows` is a multiple of 4.
HWY_INLINE void add_lane_products(const double* HWY_RESTRICT z, std::size_t z_step, std::size_t rows, std::size_t depth,
                                  double* HWY_RESTRICT sum) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t n0 = 0; n0 < rows; n0 += 4)
        for (std::size_t m0 = 0; m0 <= n0; m0 += 4) {
            const double* zn = z + n0 * z_step * w;
            const double* zm = z + m0 * z_step * w;
            const std::size_t next = z_step * w;
            Tile4 acc;
            set_zero(acc);
            for (std::size_t k = 0; k < depth * w; k += w) {
                const VF m_0 = hn::Load(f, zm + k), m_1 = hn::Load(f, zm + next + k),
                         m_2 = hn::Load(f, zm + 2 * next + k), m_3 = hn::Load(f, zm + 3 * next + k);
                SBDL_UNROLL
                for (std::size_t n = 0; n < 4; ++n) {
                    const VF x = hn::Load(f, zn + n * next + k);
                    acc[n][0] = hn::MulAdd(x, m_0, acc[n][0]);
                    acc[n][1] = hn::MulAdd(x, m_1, acc[n][1]);
                    acc[n][2] = hn::MulAdd(x, m_2, acc[n][2]);
                    acc[n][3] = hn::MulAdd(x, m_3, acc[n][3]);
                }
            }
            add_tile(acc, n0, m0, sum);
        }
}

/// acc(n, m) += the contribution of one vector's inverse triangle t to block (n0, m0) of t^T t; Corner when n0 = m0.
template <bool Corner>
HWY_INLINE void add_inverse_tile(const double* HWY_RESTRICT t, std::size_t order, std::size_t n0, std::size_t m0,
                                 Tile4& acc) {
    const F f;
    const std::size_t w = lanes();
    SBDL_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {  // the triangle's tip, where some entries are not stored
        const double* row = t + triangle(n0 + i) * w;
        SBDL_UNROLL
        for (std::size_t n = 0; n <= i; ++n) SBDL_UNROLL
        for (std::size_t m = 0; m < (Corner ? n + 1 : 4); ++m)
            acc[n][m] = hn::MulAdd(hn::Load(f, row + (n0 + n) * w), hn::Load(f, row + (m0 + m) * w), acc[n][m]);
    }
    const double* row = t + triangle(n0 + 4) * w;
    for (std::size_t i = n0 + 4; i < order; ++i) {
        const double* xn = row + n0 * w;
        const double* xm = row + m0 * w;
        row += (i + 1) * w;
        const VF m_0 = hn::Load(f, xm), m_1 = hn::Load(f, xm + w), m_2 = hn::Load(f, xm + 2 * w),
                 m_3 = hn::Load(f, xm + 3 * w);
        SBDL_UNROLL
        for (std::size_t n = 0; n < 4; ++n) {
            const VF x = hn::Load(f, xn + n * w);
            acc[n][0] = hn::MulAdd(x, m_0, acc[n][0]);
            acc[n][1] = hn::MulAdd(x, m_1, acc[n][1]);
            acc[n][2] = hn::MulAdd(x, m_2, acc[n][2]);
            acc[n][3] = hn::MulAdd(x, m_3, acc[n][3]);
        }
    }
}

/// sum += t^T t over `vectors` inverse triangles, `plane` apart, lane by lane, lower triangle. order^3 / 3 flops per
/// lane.
HWY_INLINE void add_inverse_products(const double* HWY_RESTRICT t, std::size_t plane, std::size_t vectors,
                                     std::size_t order, double* HWY_RESTRICT sum) {
    for (std::size_t n0 = 0; n0 < order; n0 += 4)
        for (std::size_t m0 = 0; m0 <= n0; m0 += 4) {
            Tile4 acc;
            set_zero(acc);
            for (std::size_t v = 0; v < vectors; ++v) {
                if (m0 == n0)
                    add_inverse_tile<true>(t + v * plane, order, n0, m0, acc);
                else
                    add_inverse_tile<false>(t + v * plane, order, n0, m0, acc);
            }
            add_tile(acc, n0, m0, sum);
        }
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
