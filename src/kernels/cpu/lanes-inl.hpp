// Small dense algebra across vector lanes: every lane holds a different signal, and every operation runs on all lanes.
// Included once per instruction set; see gibbs_block.cpp.
//
// A *tile* is tile_vectors vectors side by side. Two layouts:
//
//     rows     r[i * row + v * lanes]           i-th entry of vector v; one entry of all signals is contiguous
//     planes   one packed lower triangle per vector: entry (i, j), j <= i, at (i (i + 1) / 2 + j) * lanes
//
// Orders of triangles are multiples of 4 (pad with the identity), so that everything runs in 4 x 4 register tiles.
#if defined(SBDL_CPU_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_LANES_INL
#undef SBDL_CPU_LANES_INL
#else
#define SBDL_CPU_LANES_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<double>;
using VF = hn::Vec<F>;

constexpr std::size_t tile_vectors = 4;

HWY_INLINE std::size_t lanes() {
    return hn::Lanes(F());
}

constexpr std::size_t triangle(std::size_t i) {
    return i * (i + 1) / 2;
}

/// Lanes that hold a signal; `first` is the signal of the first lane.
template <class Job>
HWY_INLINE auto used_lanes(const Job& job, std::size_t first) {
    return hn::FirstN(F(), job.view.count > first ? job.view.count - first : 0);
}

/// Stores the densities of signals first, first + 1, ..., as far as there are any.
template <class Job>
HWY_INLINE void store_density(const Job& job, std::size_t first, VF density) {
    HWY_ALIGN double densities[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(density, F(), densities);
    for (std::size_t l = 0; l < lanes() && first + l < job.view.count; ++l) job.view.density[first + l] = densities[l];
}

/// Where the product of a row group goes: entry (row, vector) at out + row * row_step + vector * vector_step.
struct TileOut {
    double* out;
    std::size_t row_step;
    std::size_t vector_step;
};

/// acc[i][v] += sum over k < depth of a_ki in_kv: one group of rows, kept in registers. a: [k][group].
template <std::size_t group, std::size_t vectors, class Tag>
HWY_INLINE void add_group_product(Tag tag, const hn::TFromD<Tag>* HWY_RESTRICT a, std::size_t depth,
                                  const hn::TFromD<Tag>* HWY_RESTRICT in, std::size_t in_step,
                                  hn::Vec<Tag> (&acc)[group][vectors]) {
    static_assert(group <= 8 && vectors <= 8);  // all loops of constant length are unrolled, so sums stay in registers
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t k = 0; k < depth; ++k, a += group) {
        hn::Vec<Tag> b[vectors];
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v) b[v] = hn::Load(tag, in + k * in_step + v * w);
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < group; ++i) {
            const auto ai = hn::Set(tag, a[i]);
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < vectors; ++v) acc[i][v] = hn::MulAdd(ai, b[v], acc[i][v]);
        }
    }
}

/// packed * in for one tile, any element type. packed: groups of rows, [row / group][k][group]; in: rows layout,
/// `depth` rows of that many vectors, in_step apart. Entry (row, vector) of the result is handed to put(row, vector,
/// value).
template <std::size_t group, std::size_t vectors, class Tag, class Put>
HWY_INLINE void packed_product(Tag tag, const hn::TFromD<Tag>* HWY_RESTRICT packed, std::size_t rows, std::size_t depth,
                               const hn::TFromD<Tag>* HWY_RESTRICT in, std::size_t in_step, const Put& put) {
    for (std::size_t r = 0; r < rows; r += group) {
        hn::Vec<Tag> acc[group][vectors];
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < group; ++i) {
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < vectors; ++v) acc[i][v] = hn::Zero(tag);
        }
        add_group_product<group, vectors>(tag, packed + r * depth, depth, in, in_step, acc);
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < group; ++i) {
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < vectors; ++v) put(r + i, v, acc[i][v]);
        }
    }
}

/// The same in double precision, with the result stored: 2 rows depth flops per lane; the inner loop is 4 loads,
/// 4 broadcasts and 16 multiply-adds.
HWY_INLINE void tile_product(const double* HWY_RESTRICT packed, std::size_t padded_rows, std::size_t depth,
                             const double* HWY_RESTRICT in, std::size_t in_step, const TileOut& to) {
    packed_product<4, tile_vectors>(F(), packed, padded_rows, depth, in, in_step,
                                    [&](std::size_t r, std::size_t v, VF sum) {
                                        hn::Store(sum, F(), to.out + r * to.row_step + v * to.vector_step);
                                    });
}

/// acc[i][j] -= sum over k < depth of x_(i0+i),k x_(j0+j),k, rows of one packed triangle.
HWY_INLINE void subtract_rows(const double* HWY_RESTRICT t, std::size_t i0, std::size_t j0, std::size_t depth,
                              VF (&acc)[4][4]) {
    const F f;
    const std::size_t w = lanes();
    const double* xi[4];
    const double* xj[4];
    HWY_UNROLL(4)
    for (std::size_t q = 0; q < 4; ++q) {
        xi[q] = t + triangle(i0 + q) * w;
        xj[q] = t + triangle(j0 + q) * w;
    }
    for (std::size_t k = 0; k < depth * w; k += w) {
        const VF j0v = hn::Load(f, xj[0] + k), j1v = hn::Load(f, xj[1] + k), j2v = hn::Load(f, xj[2] + k),
                 j3v = hn::Load(f, xj[3] + k);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < 4; ++i) {
            const VF x = hn::Load(f, xi[i] + k);
            acc[i][0] = hn::NegMulAdd(x, j0v, acc[i][0]);
            acc[i][1] = hn::NegMulAdd(x, j1v, acc[i][1]);
            acc[i][2] = hn::NegMulAdd(x, j2v, acc[i][2]);
            acc[i][3] = hn::NegMulAdd(x, j3v, acc[i][3]);
        }
    }
}

// The loops of constant length are unrolled by pragmas: if a compiler leaves one rolled, all of x is on the stack.

/// In place, t = L L^T; afterwards the diagonal holds 1 / L_ii. `floor` (one vector per index) is a lower bound of
/// every pivot in exact arithmetic; rounding must not take a pivot below it, so there is never a square root of a
/// negative number. order^3 / 3 flops per lane.
template <class Floor>
HWY_INLINE void cholesky(double* HWY_RESTRICT t, std::size_t order, const Floor& floor) {
    const F f;
    const std::size_t w = lanes();
    const auto at = [&](std::size_t i, std::size_t j) { return t + (triangle(i) + j) * w; };
    for (std::size_t i0 = 0; i0 < order; i0 += 4) {
        for (std::size_t j0 = 0; j0 < i0; j0 += 4) {
            VF x[4][4];
            HWY_UNROLL(4)
            for (std::size_t i = 0; i < 4; ++i) {
                HWY_UNROLL(4)
                for (std::size_t j = 0; j < 4; ++j) x[i][j] = hn::Load(f, at(i0 + i, j0 + j));
            }
            subtract_rows(t, i0, j0, j0, x);
            HWY_UNROLL(4)
            for (std::size_t j = 0; j < 4; ++j) {  // against the 4 x 4 triangle on the diagonal
                const VF inverse = hn::Load(f, at(j0 + j, j0 + j));
                HWY_UNROLL(4)
                for (std::size_t i = 0; i < 4; ++i) {
                    HWY_UNROLL(4)
                    for (std::size_t k = 0; k < j; ++k)
                        x[i][j] = hn::NegMulAdd(x[i][k], hn::Load(f, at(j0 + j, j0 + k)), x[i][j]);
                    x[i][j] = hn::Mul(x[i][j], inverse);
                    hn::Store(x[i][j], f, at(i0 + i, j0 + j));
                }
            }
        }
        VF x[4][4];
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < 4; ++i) {
            HWY_UNROLL(4)
            for (std::size_t j = 0; j < 4; ++j) x[i][j] = j <= i ? hn::Load(f, at(i0 + i, i0 + j)) : hn::Zero(f);
        }
        subtract_rows(t, i0, i0, i0, x);
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < 4; ++j) {
            HWY_UNROLL(4)
            for (std::size_t k = 0; k < j; ++k) {
                HWY_UNROLL(4)
                for (std::size_t i = j; i < 4; ++i) x[i][j] = hn::NegMulAdd(x[i][k], x[j][k], x[i][j]);
            }
            const VF pivot = hn::Max(x[j][j], floor(i0 + j));
            const VF inverse = hn::Div(hn::Set(f, 1.0), hn::Sqrt(pivot));
            hn::Store(inverse, f, at(i0 + j, i0 + j));
            HWY_UNROLL(4)
            for (std::size_t i = j + 1; i < 4; ++i) {
                x[i][j] = hn::Mul(x[i][j], inverse);
                hn::Store(x[i][j], f, at(i0 + i, i0 + j));
            }
        }
    }
}

/// In place, x = L^{-1} x for one vector of the tile; x in rows layout, rows `step` apart.
HWY_INLINE void solve_lower(const double* HWY_RESTRICT t, std::size_t order, double* HWY_RESTRICT x, std::size_t step) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t i = 0; i < order; ++i) {
        const double* row = t + triangle(i) * w;
        VF even = hn::Load(f, x + i * step), odd = hn::Zero(f);
        std::size_t k = 0;
        for (; k + 1 < i; k += 2) {
            even = hn::NegMulAdd(hn::Load(f, row + k * w), hn::Load(f, x + k * step), even);
            odd = hn::NegMulAdd(hn::Load(f, row + (k + 1) * w), hn::Load(f, x + (k + 1) * step), odd);
        }
        if (k < i) even = hn::NegMulAdd(hn::Load(f, row + k * w), hn::Load(f, x + k * step), even);
        hn::Store(hn::Mul(hn::Add(even, odd), hn::Load(f, row + i * w)), f, x + i * step);
    }
}

/// In place, x = L^{-T} x.
HWY_INLINE void solve_upper(const double* HWY_RESTRICT t, std::size_t order, double* HWY_RESTRICT x, std::size_t step) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t i = order; i-- > 0;) {
        const double* row = t + triangle(i) * w;
        const VF xi = hn::Mul(hn::Load(f, x + i * step), hn::Load(f, row + i * w));
        hn::Store(xi, f, x + i * step);
        for (std::size_t k = 0; k < i; ++k)
            hn::Store(hn::NegMulAdd(hn::Load(f, row + k * w), xi, hn::Load(f, x + k * step)), f, x + k * step);
    }
}

// transpose(): in a square of vectors, row i becomes lane i.

template <class Tag>
HWY_INLINE void transpose(Tag, hn::Vec<Tag> (&)[1]) {}

#if HWY_TARGET != HWY_SCALAR
template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[2]) {
    const auto even = hn::InterleaveLower(tag, rows[0], rows[1]);
    rows[1] = hn::InterleaveUpper(tag, rows[0], rows[1]);
    rows[0] = even;
}

template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[4]) {
    const auto even01 = hn::InterleaveLower(tag, rows[0], rows[1]);  // rows 0 and 1 in lane 0, then in lane 2
    const auto even23 = hn::InterleaveLower(tag, rows[2], rows[3]);
    const auto odd01 = hn::InterleaveUpper(tag, rows[0], rows[1]);
    const auto odd23 = hn::InterleaveUpper(tag, rows[2], rows[3]);
    rows[0] = hn::ConcatLowerLower(tag, even23, even01);
    rows[1] = hn::ConcatLowerLower(tag, odd23, odd01);
    rows[2] = hn::ConcatUpperUpper(tag, even23, even01);
    rows[3] = hn::ConcatUpperUpper(tag, odd23, odd01);
}

template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[8]) {
    hn::Vec<Tag> fours[2][4];  // [rows 0 to 3 or 4 to 7][lane i, then lane i + 4]
    HWY_UNROLL(2)
    for (std::size_t half = 0; half < 2; ++half) {
        const hn::Vec<Tag>* const r = rows + 4 * half;
        const auto even01 = hn::InterleaveLower(tag, r[0], r[1]), even23 = hn::InterleaveLower(tag, r[2], r[3]);
        const auto odd01 = hn::InterleaveUpper(tag, r[0], r[1]), odd23 = hn::InterleaveUpper(tag, r[2], r[3]);
        fours[half][0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(even23), even01);
        fours[half][1] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd23), odd01);
        fours[half][2] = hn::OddEvenBlocks(even23, hn::SwapAdjacentBlocks(even01));
        fours[half][3] = hn::OddEvenBlocks(odd23, hn::SwapAdjacentBlocks(odd01));
    }
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = hn::ConcatLowerLower(tag, fours[1][i], fours[0][i]);
        rows[i + 4] = hn::ConcatUpperUpper(tag, fours[1][i], fours[0][i]);
    }
}
#endif

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
