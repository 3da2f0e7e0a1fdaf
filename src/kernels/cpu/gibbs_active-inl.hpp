// The tile of the sparse path, and its operations on the active atoms of each signal; see gibbs_sparse-inl.hpp for the
// algebra. Included once per instruction set; see gibbs_block.cpp.
#if defined(SBDL_CPU_GIBBS_ACTIVE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_GIBBS_ACTIVE_INL
#undef SBDL_CPU_GIBBS_ACTIVE_INL
#else
#define SBDL_CPU_GIBBS_ACTIVE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/gibbs_path.hpp"
#include "kernels/cpu/gibbs_tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

using Single = hn::ScalableTag<float>;
using VS = hn::Vec<Single>;
using HalfSingle = hn::Rebind<float, F>;  // as many floats as a vector has doubles
using Index = hn::ScalableTag<std::int64_t>;

constexpr std::size_t most_lanes = hn::MaxLanes(F());
constexpr std::size_t float_vectors = HWY_TARGET == HWY_SCALAR ? tile_vectors : tile_vectors / 2;

/// The sparse path's part of a tile. Rows are `width` signals wide; floats take half the memory.
struct SparseTile {
    SparseTile(const GibbsTables& tables, const GibbsTile& tile, ScratchCarver memory)
        : M(tables.M), N(tables.N), width(tile.width), s(tile.var), x(tile.normals), e(tile.e), end(memory) {
        const std::size_t N8 = round_up(N, 8), M8 = round_up(M, 8);
        const std::size_t most = most_active(M);
        const auto doubles = [&](std::size_t rows) { return end.take(rows * width); };
        const auto floats = [&](std::size_t rows) { return reinterpret_cast<float*>(doubles((rows + 1) / 2)); };
        w = doubles(round_up_4(M));
        active_s = doubles(most);
        active_n = doubles(most);
        active_x = doubles(most);
        solved = doubles(most);
        active = reinterpret_cast<std::int64_t*>(doubles(most));
        triangles = doubles(packed_triangle(most));
        atoms = doubles(most * M / tile_vectors);
        atoms_f = floats(most * M);
        s_f = floats(N8);
        product_f = floats(N8);
        x_f = floats(N8);
        w_f = floats(M8);
        r = floats(M8);
        z = floats(M8);
        p = floats(M8);
        Pp = floats(M8);
        Ep = floats(M8);
        Ew = floats(M8);
        c = floats(most);
    }
    [[nodiscard]] double* triangle_of(std::size_t vector) const {
        return triangles + vector * packed_triangle(order) * lanes();
    }
    [[nodiscard]] float* atoms_of(std::size_t float_vector) const {
        return atoms_f + float_vector * order * M * hn::Lanes(Single());
    }

    std::size_t M, N, width;
    double* s;                               ///< N: s_J, zero where active
    double* x;                               ///< N: u_J, then x_J, in units of the noise
    const double* e;                         ///< M
    double* w;                               ///< M: first r, then w_0
    double *active_s, *active_n, *active_x;  ///< order: of the active atoms, signal by signal
    double* solved;                          ///< order
    std::int64_t* active;                    ///< order: which atoms these are
    double* triangles;                       ///< Cholesky factors of C, one plane per vector
    double* atoms;                           ///< D_I of one vector: [order / 4][m][4]
    float* atoms_f;                ///< D_I of all vectors, in the same layout, one float vector after the other
    float *s_f, *product_f, *x_f;  ///< N
    float *w_f, *r, *z, *p, *Pp, *Ep, *Ew;  ///< M
    float* c;                               ///< order
    ScratchCarver end;
    std::size_t order = 0;  ///< the largest number of active atoms of a signal, rounded up to 4
    std::size_t orders[tile_vectors] = {}, float_orders[float_vectors] = {};  ///< the same for each vector's signals
    std::size_t counts[tile_vectors * HWY_MAX_BYTES / sizeof(double)] = {};
};

/// c_j = sum over m of atom_jm in_m, for one vector of signals.
template <class Tag, class T = hn::TFromD<Tag>>
HWY_INLINE void times_atoms(Tag tag, const T* HWY_RESTRICT atoms, std::size_t order, std::size_t M,
                            const T* HWY_RESTRICT in, std::size_t step, T* HWY_RESTRICT c) {
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t j = 0; j < order; j += 4) {
        auto c0 = hn::Zero(tag), c1 = c0, c2 = c0, c3 = c0;
        for (std::size_t m = 0; m < M; ++m, atoms += 4 * w) {
            const auto value = hn::Load(tag, in + m * step);
            c0 = hn::MulAdd(hn::Load(tag, atoms), value, c0);
            c1 = hn::MulAdd(hn::Load(tag, atoms + w), value, c1);
            c2 = hn::MulAdd(hn::Load(tag, atoms + 2 * w), value, c2);
            c3 = hn::MulAdd(hn::Load(tag, atoms + 3 * w), value, c3);
        }
        hn::Store(c0, tag, c + j * step);
        hn::Store(c1, tag, c + (j + 1) * step);
        hn::Store(c2, tag, c + (j + 2) * step);
        hn::Store(c3, tag, c + (j + 3) * step);
    }
}

/// out_m -= sum over j of atom_jm c_j.
template <class Tag, class T = hn::TFromD<Tag>>
HWY_INLINE void subtract_atoms(Tag tag, const T* HWY_RESTRICT atoms, std::size_t order, std::size_t M,
                               const T* HWY_RESTRICT c, std::size_t step, T* HWY_RESTRICT out) {
    const std::size_t w = hn::Lanes(tag);
    for (std::size_t j = 0; j < order; j += 4) {
        const auto c0 = hn::Load(tag, c + j * step), c1 = hn::Load(tag, c + (j + 1) * step),
                   c2 = hn::Load(tag, c + (j + 2) * step), c3 = hn::Load(tag, c + (j + 3) * step);
        for (std::size_t m = 0; m < M; ++m, atoms += 4 * w) {
            const auto even = hn::NegMulAdd(hn::Load(tag, atoms), c0, hn::Load(tag, out + m * step));
            const auto odd = hn::Mul(hn::Load(tag, atoms + w), c1);
            const auto both = hn::Sub(hn::NegMulAdd(hn::Load(tag, atoms + 2 * w), c2, even),
                                      hn::MulAdd(hn::Load(tag, atoms + 3 * w), c3, odd));
            hn::Store(both, tag, out + m * step);
        }
    }
}

/// Counts what the choice of the path depends on. (Lanes past the block's end have meaningless counts, which are not
/// read.)
inline BlockActivity block_activity(const GibbsTables& tables, const BlockView& view) {
    const F f;
    const VF threshold = hn::Set(f, active_threshold), one = hn::Set(f, 1.0);
    BlockActivity activity;
    for (std::size_t l = 0; l < block_size; l += lanes()) {
        VF active = hn::Zero(f), rest = hn::Zero(f);
        for (std::size_t n = 0; n < tables.N; ++n) {
            const VF s =
                hn::Mul(hn::Set(f, tables.sparse.strength[n]), hn::Load(f, view.code_var + n * block_size + l));
            const auto above = hn::Gt(s, threshold);
            active = hn::Add(active, hn::IfThenElseZero(above, one));
            rest = hn::Add(rest, hn::IfThenZeroElse(above, s));
        }
        hn::Store(active, f, activity.active + l);
        hn::Store(rest, f, activity.rest + l);
    }
    return activity;
}

/// Bit l is set if lane l of the mask is. (Assumes a little-endian processor.)
HWY_INLINE std::uint64_t lane_bits(hn::Mask<F> mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(F(), mask, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return bits;
}

/// Separates the active atoms of each signal from the rest, and computes u_J. False when a signal has too many active
/// atoms.
inline bool split_atoms(const GibbsTileJob& job, std::size_t first, SparseTile& tile) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    const std::size_t most = most_active(tile.M);
    const VF threshold = hn::Set(f, active_threshold);
    HWY_ALIGN double s_here[HWY_MAX_BYTES / sizeof(double)], n_here[HWY_MAX_BYTES / sizeof(double)];
    for (std::size_t n = 0; n < tile.N; ++n) {
        const VF strength = hn::Set(f, job.tables->sparse.strength[n]);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const auto used = used_lanes(job, first + v * w);
            const VF s = hn::IfThenElseZero(used, hn::Mul(strength, hn::Load(f, tile.s + at)));
            const VF normal = hn::Load(f, tile.x + at);
            const auto active = hn::Gt(s, threshold);
            const VF rest = hn::IfThenZeroElse(active, s);
            hn::Store(rest, f, tile.s + at);
            hn::Store(hn::DemoteTo(half, rest), half, tile.s_f + at);
            const VF u = hn::Mul(hn::Sqrt(rest), normal);
            hn::Store(u, f, tile.x + at);
            hn::Store(hn::DemoteTo(half, u), half, tile.product_f + at);
            std::uint64_t left = lane_bits(active);
            if (left == 0) continue;
            hn::Store(s, f, s_here);
            hn::Store(normal, f, n_here);
            for (; left != 0; left &= left - 1) {
                const auto l = static_cast<std::size_t>(std::countr_zero(left));
                std::size_t& count = tile.counts[v * w + l];
                if (count == most) return false;
                const std::size_t to = count++ * tile.width + v * w + l;
                tile.active[to] = static_cast<std::int64_t>(n);
                tile.active_s[to] = s_here[l];
                tile.active_n[to] = n_here[l];
            }
        }
    }
    const std::size_t w_f = hn::Lanes(Single());
    for (std::size_t l = 0; l < tile.width; ++l) {
        const std::size_t order = round_up_4(tile.counts[l]);
        for (std::size_t* const most_of : {&tile.orders[l / w], &tile.float_orders[l / w_f], &tile.order})
            *most_of = std::max(*most_of, order);
    }
    for (std::size_t l = 0; l < tile.width; ++l)
        for (std::size_t j = tile.counts[l]; j < tile.order; ++j) {  // the atom of zeros
            tile.active[j * tile.width + l] = static_cast<std::int64_t>(tile.N);
            tile.active_s[j * tile.width + l] = 1.0;
            tile.active_n[j * tile.width + l] = 0.0;
        }
    return true;
}

/// Copies D_I of one vector of signals from the table of atoms, in both precisions. Square tiles of entries, one row
/// per signal, are transposed on the way.
inline void gather_atoms(const SparseTables& tables, const SparseTile& tile, std::size_t v) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(Single());
    const std::size_t M = tile.M;
    double* to = tile.atoms;
    float* to_f = tile.atoms_of(v * w / w_f) + v * w % w_f;
    for (std::size_t j = 0; j < tile.float_orders[v * w / w_f]; j += 4, to += 4 * M * w, to_f += 4 * M * w_f)
        for (std::size_t q = 0; q < 4; ++q) {
            const double* from[most_lanes];
            for (std::size_t l = 0; l < w; ++l)
                from[l] = tables.atoms.data() +
                          static_cast<std::size_t>(tile.active[(j + q) * tile.width + v * w + l]) * tables.atom_step;
            for (std::size_t m = 0; m < M; m += w) {
                VF square[most_lanes];
                HWY_UNROLL(8)
                for (std::size_t l = 0; l < most_lanes; ++l) square[l] = hn::Load(f, from[l] + m);
                transpose(f, square);
                HWY_UNROLL(8)
                for (std::size_t i = 0; i < most_lanes; ++i) {
                    if (m + i >= M) break;
                    const std::size_t at = (m + i) * 4 + q;
                    hn::Store(square[i], f, to + at * w);
                    hn::Store(hn::DemoteTo(half, square[i]), half, to_f + at * w_f);
                }
            }
        }
}

/// The Cholesky factor of C for one vector of signals.
inline void factor_active(const GibbsTables& tables, const SparseTile& tile, std::size_t v) {
    const F f;
    const Index indices;
    const std::size_t w = lanes();
    const VF one = hn::Set(f, 1.0);
    const auto inverse_s = [&](std::size_t j) {
        return hn::Div(one, hn::Load(f, tile.active_s + j * tile.width + v * w));
    };
    const auto step = hn::Set(indices, static_cast<std::int64_t>(tile.N + 1));
    const std::size_t order = tile.orders[v];
    double* const C = tile.triangle_of(v);
    for (std::size_t i = 0; i < order; ++i) {
        const auto row = hn::Mul(hn::Load(indices, tile.active + i * tile.width + v * w), step);
        for (std::size_t j = 0; j <= i; ++j) {
            const auto at = hn::Add(row, hn::Load(indices, tile.active + j * tile.width + v * w));
            const VF value = hn::GatherIndex(f, tables.sparse.gram.data(), at);
            hn::Store(i == j ? hn::Add(value, inverse_s(i)) : value, f, C + (triangle(i) + j) * w);
        }
    }
    cholesky(C, order, inverse_s);
}

/// The solution without E: x_I and w_0 = r - D_I x_I, in double precision; r in tile.w becomes w_0.
inline void solve_active(const GibbsTables& tables, const SparseTile& tile) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t v = 0; v < tile_vectors && tile.order > 0; ++v) {
        gather_atoms(tables.sparse, tile, v);
        factor_active(tables, tile, v);
        const std::size_t order = tile.orders[v];
        double* const x = tile.active_x + v * w;
        times_atoms(f, tile.atoms, order, tile.M, tile.w + v * w, tile.width, x);
        for (std::size_t j = 0; j < order; ++j) {
            const std::size_t at = j * tile.width + v * w;
            const VF prior = hn::Div(hn::Load(f, tile.active_n + at), hn::Sqrt(hn::Load(f, tile.active_s + at)));
            hn::Store(hn::Add(hn::Load(f, tile.active_x + at), prior), f, tile.active_x + at);
        }
        solve_lower(tile.triangle_of(v), order, x, tile.width);
        solve_upper(tile.triangle_of(v), order, x, tile.width);
        subtract_atoms(f, tile.atoms, order, tile.M, x, tile.width, tile.w + v * w);
    }
}

/// tile.solved = C^{-1} D_I^T in.
inline void solve_for(const SparseTile& tile, const float* in) {
    const F f;
    const Single single;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(single);
    for (std::size_t v = 0; v < float_vectors; ++v)
        times_atoms(single, tile.atoms_of(v), tile.float_orders[v], tile.M, in + v * w_f, tile.width, tile.c + v * w_f);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const std::size_t order = tile.orders[v];
        double* const x = tile.solved + v * w;
        for (std::size_t i = 0; i < order * tile.width; i += tile.width)
            hn::Store(hn::PromoteTo(f, hn::Load(half, tile.c + v * w + i)), f, x + i);
        solve_lower(tile.triangle_of(v), order, x, tile.width);
        solve_upper(tile.triangle_of(v), order, x, tile.width);
    }
}

/// z = P^{-1} r with P = I + D_I diag(s_I) D_I^T, that is, r - D_I C^{-1} D_I^T r. Sets `rz` to r^T z of each signal.
inline void precondition(const SparseTile& tile, VS (&rz)[float_vectors]) {
    const F f;
    const Single single;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(single);
    for (std::size_t i = 0; i < tile.M * tile.width; i += w_f)
        hn::Store(hn::Load(single, tile.r + i), single, tile.z + i);
    if (tile.order > 0) {
        solve_for(tile, tile.r);
        for (std::size_t v = 0; v < tile_vectors; ++v)  // beyond these orders there are only zeros
            for (std::size_t i = v * w; i < tile.orders[v] * tile.width; i += tile.width)
                hn::Store(hn::DemoteTo(half, hn::Load(f, tile.solved + i)), half, tile.c + i);
        for (std::size_t v = 0; v < float_vectors; ++v)
            subtract_atoms(single, tile.atoms_of(v), tile.float_orders[v], tile.M, tile.c + v * w_f, tile.width,
                           tile.z + v * w_f);
    }
    for (std::size_t v = 0; v < float_vectors; ++v) {
        rz[v] = hn::Zero(single);
        for (std::size_t i = v * w_f; i < tile.M * tile.width; i += tile.width)
            rz[v] = hn::MulAdd(hn::Load(single, tile.r + i), hn::Load(single, tile.z + i), rz[v]);
    }
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
