// The sparse path of the codes' draw, for M < N (docs/math.md, G1, "Few active atoms"). Included once per instruction
// set; see gibbs_block.cpp.
//
// In units of the noise, s_n = gamma |d_n|^2 / alpha_n says how far the prior lets atom n reach. Atoms with s_n above a
// threshold are *active* (a handful after burn-in); the others together are a small perturbation E of the identity:
//
//     C = diag(1/s_I) + D_I^T D_I                      k x k, D of unit atoms, I the active ones, J the rest
//     r = sqrt(gamma) y - D_J u_J - e                  u_J = sqrt(s_J) n_J
//     x_I = C^{-1} (D_I^T (r - E w) + n_I / sqrt(s_I))
//     w = r - E w - D_I x_I                            E = D_J diag(s_J) D_J^T
//     x_J = u_J + s_J D_J^T w
//
// Without E this is solved in double precision by the Cholesky factor of C: w_0. What E adds is some hundredths of
// that. It comes from conjugate gradients preconditioned by the same factor; the first product with E, of w_0, is in
// double precision, and the rest, corrections of corrections, in single.
#if defined(SBDL_CPU_GIBBS_SPARSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_GIBBS_SPARSE_INL
#undef SBDL_CPU_GIBBS_SPARSE_INL
#else
#define SBDL_CPU_GIBBS_SPARSE_INL
#endif

#include <hwy/highway.h>

#include <cmath>
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

constexpr std::size_t float_vectors = HWY_TARGET == HWY_SCALAR ? tile_vectors : tile_vectors / 2;

/// The sparse path's part of a tile. Rows are `width` signals wide; floats take half the memory.
struct SparseTile {
    SparseTile(const GibbsTables& tables, const GibbsTile& tile, ScratchCarver memory)
        : M(tables.M), N(tables.N), width(tile.width), s(tile.var), x(tile.normals), e(tile.e), end(memory) {
        const std::size_t N8 = (N + 7) / 8 * 8, M8 = (M + 7) / 8 * 8;
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
    double* triangles;                       ///< Cholesky factors of C, a plane a vector
    double* atoms;                           ///< D_I of one vector: [order / 4][m][4]
    float* atoms_f;                          ///< D_I of all: likewise, a float vector after the other
    float *s_f, *product_f, *x_f;            ///< N
    float *w_f, *r, *z, *p, *Pp, *Ep, *Ew;   ///< M
    float* c;                                ///< order
    ScratchCarver end;
    std::size_t order = 0;  ///< active atoms of the signal that has most, rounded up to 4
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

/// Counts what the choice of the path depends on. (Lanes past the block's end count whatever is there; nobody reads
/// it.)
BlockActivity block_activity(const GibbsTables& tables, const BlockView& view) {
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

/// Tells the active atoms of each signal from the rest, and makes u_J. False when some signal has too many.
HWY_NOINLINE bool split_atoms(const GibbsTileJob& job, std::size_t first, SparseTile& tile) {
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
            hn::Store(hn::Mul(hn::Sqrt(rest), normal), f, tile.x + at);
            if (hn::AllFalse(f, active)) continue;
            hn::Store(s, f, s_here);
            hn::Store(normal, f, n_here);
            for (std::size_t l = 0; l < w; ++l) {
                if (!(s_here[l] > active_threshold)) continue;
                std::size_t& count = tile.counts[v * w + l];
                if (count == most) return false;
                const std::size_t to = count++ * tile.width + v * w + l;
                tile.active[to] = static_cast<std::int64_t>(n);
                tile.active_s[to] = s_here[l];
                tile.active_n[to] = n_here[l];
            }
        }
    }
    for (std::size_t l = 0; l < tile.width; ++l)
        if (tile.counts[l] > tile.order) tile.order = tile.counts[l];
    tile.order = round_up_4(tile.order);
    for (std::size_t l = 0; l < tile.width; ++l)
        for (std::size_t j = tile.counts[l]; j < tile.order; ++j) {  // the atom of zeros
            tile.active[j * tile.width + l] = static_cast<std::int64_t>(tile.N);
            tile.active_s[j * tile.width + l] = 1.0;
            tile.active_n[j * tile.width + l] = 0.0;
        }
    return true;
}

/// Copies D_I of one vector of signals from the table of atoms, in both precisions. One number after the other: that is
/// faster than gathering vectors, because only the atoms that a signal has are touched.
HWY_NOINLINE void gather_atoms(const SparseTables& tables, const SparseTile& tile, std::size_t v) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(Single());
    const std::size_t M = tile.M;
    double* to = tile.atoms;
    float* to_f = tile.atoms_of(v * w / w_f) + v * w % w_f;
    for (std::size_t j = 0; j < tile.order; j += 4, to += 4 * M * w, to_f += 4 * M * w_f) {
        for (std::size_t i = 0; i < 4 * M * w; i += w) hn::Store(hn::Zero(f), f, to + i);
        for (std::size_t l = 0; l < w; ++l)
            for (std::size_t q = 0; q < 4 && j + q < tile.counts[v * w + l]; ++q) {
                const auto n = static_cast<std::size_t>(tile.active[(j + q) * tile.width + v * w + l]);
                const double* from = tables.atoms.data() + n * M;
                for (std::size_t m = 0; m < M; ++m) to[(m * 4 + q) * w + l] = from[m];
            }
        for (std::size_t i = 0; i < 4 * M; ++i)
            hn::Store(hn::DemoteTo(half, hn::Load(f, to + i * w)), half, to_f + i * w_f);
    }
}

/// The Cholesky factor of C for one vector of signals.
HWY_NOINLINE void factor_active(const GibbsTables& tables, const SparseTile& tile, std::size_t v) {
    const F f;
    const Index indices;
    const std::size_t w = lanes();
    const VF one = hn::Set(f, 1.0);
    const auto inverse_s = [&](std::size_t j) {
        return hn::Div(one, hn::Load(f, tile.active_s + j * tile.width + v * w));
    };
    const auto step = hn::Set(indices, static_cast<std::int64_t>(tile.N + 1));
    double* const C = tile.triangle_of(v);
    for (std::size_t i = 0; i < tile.order; ++i) {
        const auto row = hn::Mul(hn::Load(indices, tile.active + i * tile.width + v * w), step);
        for (std::size_t j = 0; j <= i; ++j) {
            const auto at = hn::Add(row, hn::Load(indices, tile.active + j * tile.width + v * w));
            const VF value = hn::GatherIndex(f, tables.sparse.gram.data(), at);
            hn::Store(i == j ? hn::Add(value, inverse_s(i)) : value, f, C + (triangle(i) + j) * w);
        }
    }
    cholesky(C, tile.order, inverse_s);
}

/// The solution without E: x_I and w_0 = r - D_I x_I, in double precision; r in tile.w becomes w_0.
HWY_NOINLINE void solve_active(const GibbsTables& tables, const SparseTile& tile) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t v = 0; v < tile_vectors && tile.order > 0; ++v) {
        gather_atoms(tables.sparse, tile, v);
        factor_active(tables, tile, v);
        double* const x = tile.active_x + v * w;
        times_atoms(f, tile.atoms, tile.order, tile.M, tile.w + v * w, tile.width, x);
        for (std::size_t j = 0; j < tile.order; ++j) {
            const std::size_t at = j * tile.width + v * w;
            const VF prior = hn::Div(hn::Load(f, tile.active_n + at), hn::Sqrt(hn::Load(f, tile.active_s + at)));
            hn::Store(hn::Add(hn::Load(f, tile.active_x + at), prior), f, tile.active_x + at);
        }
        solve_lower(tile.triangle_of(v), tile.order, x, tile.width);
        solve_upper(tile.triangle_of(v), tile.order, x, tile.width);
        subtract_atoms(f, tile.atoms, tile.order, tile.M, x, tile.width, tile.w + v * w);
    }
}

/// tile.solved = C^{-1} D_I^T in.
HWY_NOINLINE void solve_for(const SparseTile& tile, const float* in) {
    const F f;
    const Single single;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(single);
    for (std::size_t v = 0; v < float_vectors; ++v)
        times_atoms(single, tile.atoms_of(v), tile.order, tile.M, in + v * w_f, tile.width, tile.c + v * w_f);
    for (std::size_t i = 0; i < tile.order * tile.width; i += w)
        hn::Store(hn::PromoteTo(f, hn::Load(half, tile.c + i)), f, tile.solved + i);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        solve_lower(tile.triangle_of(v), tile.order, tile.solved + v * w, tile.width);
        solve_upper(tile.triangle_of(v), tile.order, tile.solved + v * w, tile.width);
    }
}

/// z = P^{-1} r with P = I + D_I diag(s_I) D_I^T, that is r - D_I C^{-1} D_I^T r. Leaves r^T z of each signal in `rz`.
HWY_NOINLINE void precondition(const SparseTile& tile, VS (&rz)[float_vectors]) {
    const F f;
    const Single single;
    const HalfSingle half;
    const std::size_t w_f = hn::Lanes(single);
    for (std::size_t i = 0; i < tile.M * tile.width; i += w_f)
        hn::Store(hn::Load(single, tile.r + i), single, tile.z + i);
    if (tile.order > 0) {
        solve_for(tile, tile.r);
        for (std::size_t i = 0; i < tile.order * tile.width; i += lanes())
            hn::Store(hn::DemoteTo(half, hn::Load(f, tile.solved + i)), half, tile.c + i);
        for (std::size_t v = 0; v < float_vectors; ++v)
            subtract_atoms(single, tile.atoms_of(v), tile.order, tile.M, tile.c + v * w_f, tile.width,
                           tile.z + v * w_f);
    }
    for (std::size_t v = 0; v < float_vectors; ++v) {
        rz[v] = hn::Zero(single);
        for (std::size_t i = v * w_f; i < tile.M * tile.width; i += tile.width)
            rz[v] = hn::MulAdd(hn::Load(single, tile.r + i), hn::Load(single, tile.z + i), rz[v]);
    }
}

/// out = D_J product_f.
HWY_INLINE void times_dictionary(const SparseTables& tables, const SparseTile& tile, float* out) {
    const Single single;
    const std::size_t w_f = hn::Lanes(single);
    packed_product<8, float_vectors>(
        single, tables.D_f.data.data(), tables.D_f.rows4, tile.N, tile.product_f, tile.width,
        [&](std::size_t m, std::size_t v, VS sum) { hn::Store(sum, single, out + m * tile.width + v * w_f); });
}

/// Ew = E w_0; its first half in double precision, for x_J = u_J + s_J D_J^T w_0.
HWY_NOINLINE void first_product(const SparseTables& tables, const SparseTile& tile) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    packed_product<4, tile_vectors>(f, tables.Dt.data.data(), tables.Dt.rows4, tile.M, tile.w, tile.width,
                                    [&](std::size_t n, std::size_t v, VF sum) {
                                        if (n >= tile.N) return;
                                        const std::size_t at = n * tile.width + v * w;
                                        const VF step = hn::Mul(hn::Load(f, tile.s + at), sum);
                                        hn::Store(hn::DemoteTo(half, step), half, tile.product_f + at);
                                        hn::Store(hn::Add(hn::Load(f, tile.x + at), step), f, tile.x + at);
                                    });
    times_dictionary(tables, tile, tile.Ew);
}

/// product_f = s_J D_J^T p and Ep = D_J product_f = E p.
HWY_NOINLINE void next_product(const SparseTables& tables, const SparseTile& tile) {
    const Single single;
    const std::size_t w_f = hn::Lanes(single);
    packed_product<8, float_vectors>(single, tables.Dt_f.data.data(), tables.Dt_f.rows4, tile.M, tile.p, tile.width,
                                     [&](std::size_t n, std::size_t v, VS sum) {
                                         const std::size_t at = n * tile.width + v * w_f;
                                         hn::Store(hn::Mul(hn::Load(single, tile.s_f + at), sum), single,
                                                   tile.product_f + at);
                                     });
    times_dictionary(tables, tile, tile.Ep);
}

/// Whether sums are at most their targets in every lane of the tile; one that is not a number is not.
HWY_INLINE bool all_within(const VS (&sums)[float_vectors], const VS (&targets)[float_vectors]) {
    for (std::size_t v = 0; v < float_vectors; ++v)
        if (!hn::AllTrue(Single(), hn::Le(sums[v], targets[v]))) return false;
    return true;
}

/// What E adds to w_0: S w_f = - E w_0 by conjugate gradients, and with it x_f = s_J D_J^T w_f and all of Ew. Returns
/// the steps taken, or most_steps + 1 when some signal asks for more. A signal that has arrived is left as it is, so
/// that its neighbours do not matter to it.
HWY_NOINLINE std::size_t correct(const SparseTables& tables, const SparseTile& tile) {
    const Single single;
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(single);
    VS rz[float_vectors], target[float_vectors], limit[float_vectors];
    HWY_ALIGN float size_sq[2 * tile_vectors * HWY_MAX_BYTES / sizeof(double)];
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        VF sum = hn::Zero(f);
        for (std::size_t i = v * w; i < tile.M * tile.width; i += tile.width) {
            const VF value = hn::Load(f, tile.w + i);
            sum = hn::MulAdd(value, value, sum);
        }
        hn::Store(hn::DemoteTo(half, sum), half, size_sq + v * w);
    }
    for (std::size_t v = 0; v < float_vectors; ++v) {
        const VS size = hn::Load(single, size_sq + v * w_f);
        target[v] = hn::Mul(hn::Set(single, static_cast<float>(tolerance * tolerance)), size);
        limit[v] = hn::Mul(hn::Set(single, static_cast<float>(most_correction * most_correction)), size);
    }
    for (std::size_t i = 0; i < tile.M * tile.width; i += w_f) {
        hn::Store(hn::Neg(hn::Load(single, tile.Ew + i)), single, tile.r + i);
        hn::Store(hn::Zero(single), single, tile.w_f + i);
    }
    for (std::size_t i = 0; i < tile.N * tile.width; i += w_f) hn::Store(hn::Zero(single), single, tile.x_f + i);
    precondition(tile, rz);
    if (!all_within(rz, limit)) return most_steps + 1;
    for (std::size_t i = 0; i < tile.M * tile.width; i += w_f) {
        hn::Store(hn::Load(single, tile.z + i), single, tile.p + i);
        hn::Store(hn::Load(single, tile.r + i), single, tile.Pp + i);
    }
    std::size_t steps = 0;
    for (; !all_within(rz, target); ++steps) {
        if (steps == most_steps) return most_steps + 1;
        next_product(tables, tile);
        VS old_rz[float_vectors];
        for (std::size_t v = 0; v < float_vectors; ++v) {
            VS pSp = hn::Zero(single);
            for (std::size_t i = v * w_f; i < tile.M * tile.width; i += tile.width) {
                const VS Sp = hn::Add(hn::Load(single, tile.Pp + i), hn::Load(single, tile.Ep + i));
                pSp = hn::MulAdd(hn::Load(single, tile.p + i), Sp, pSp);
            }
            const VS length = hn::IfThenZeroElse(hn::Le(rz[v], target[v]), hn::Div(rz[v], pSp));
            for (std::size_t i = v * w_f; i < tile.M * tile.width; i += tile.width) {
                const VS Ep = hn::Load(single, tile.Ep + i);
                const VS Sp = hn::Add(hn::Load(single, tile.Pp + i), Ep);
                hn::Store(hn::MulAdd(length, hn::Load(single, tile.p + i), hn::Load(single, tile.w_f + i)), single,
                          tile.w_f + i);
                hn::Store(hn::MulAdd(length, Ep, hn::Load(single, tile.Ew + i)), single, tile.Ew + i);
                hn::Store(hn::NegMulAdd(length, Sp, hn::Load(single, tile.r + i)), single, tile.r + i);
            }
            for (std::size_t i = v * w_f; i < tile.N * tile.width; i += tile.width)
                hn::Store(hn::MulAdd(length, hn::Load(single, tile.product_f + i), hn::Load(single, tile.x_f + i)),
                          single, tile.x_f + i);
            old_rz[v] = rz[v];
        }
        precondition(tile, rz);
        for (std::size_t v = 0; v < float_vectors; ++v) {
            const VS turn = hn::IfThenZeroElse(hn::Le(rz[v], target[v]), hn::Div(rz[v], old_rz[v]));
            for (std::size_t i = v * w_f; i < tile.M * tile.width; i += tile.width) {
                hn::Store(hn::MulAdd(turn, hn::Load(single, tile.p + i), hn::Load(single, tile.z + i)), single,
                          tile.p + i);
                hn::Store(hn::MulAdd(turn, hn::Load(single, tile.Pp + i), hn::Load(single, tile.r + i)), single,
                          tile.Pp + i);
            }
        }
    }
    return steps;
}

/// x_I in full, and the codes of the tile in their own units in job.x.
HWY_NOINLINE void store_codes(const GibbsTileJob& job, std::size_t first, const SparseTile& tile) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    const SparseTables& tables = job.tables->sparse;
    for (std::size_t n = 0; n < tile.N; ++n)
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF x = hn::Add(hn::Load(f, tile.x + at), hn::PromoteTo(f, hn::Load(half, tile.x_f + at)));
            hn::Store(hn::IfThenElseZero(used_lanes(job, first + v * w), hn::Mul(hn::Set(f, tables.code[n]), x)), f,
                      job.x + n * block_size + first + v * w);
        }
    if (tile.order == 0) return;
    solve_for(tile, tile.Ew);
    for (std::size_t l = 0; l < tile.width; ++l)
        for (std::size_t j = 0; j < tile.counts[l]; ++j) {
            const std::size_t at = j * tile.width + l;
            const auto n = static_cast<std::size_t>(tile.active[at]);
            job.x[n * block_size + first + l] = tables.code[n] * (tile.active_x[at] - tile.solved[at]);
        }
}

/// Draws the codes of a loaded tile. False, with nothing done to the sums, when a signal has too many active atoms or
/// its solution does not get as close as it should: then the tile is the dense path's.
HWY_INLINE bool draw_sparse(const GibbsTileJob& job, std::size_t first, const GibbsTile& loaded, GibbsSums& sums) {
    const SparseTables& tables = job.tables->sparse;
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    SparseTile tile(*job.tables, loaded, loaded.end);
    if (!split_atoms(job, first, tile)) return false;
    const VF sqrt_gamma = hn::Set(f, std::sqrt(job.sweep->noise_precision));
    packed_product<4, tile_vectors>(
        f, tables.D.data.data(), tables.D.rows4, tile.N, tile.x, tile.width, [&](std::size_t m, std::size_t v, VF sum) {
            if (m >= tile.M) return;
            const std::size_t at = m * tile.width + v * w;
            const VF explained = hn::Add(sum, hn::Load(f, tile.e + at));
            hn::Store(hn::MulSub(sqrt_gamma, hn::Load(f, loaded.y + at), explained), f, tile.w + at);
        });
    solve_active(*job.tables, tile);
    first_product(tables, tile);
    const std::size_t steps = correct(tables, tile);
    if (steps > most_steps) return false;
    store_codes(job, first, tile);

    VF residual = hn::Zero(f);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        VF sum = hn::Zero(f);
        for (std::size_t i = v * w; i < tile.M * tile.width; i += tile.width) {
            const VF all_w = hn::Add(hn::Load(f, tile.w + i), hn::PromoteTo(f, hn::Load(half, tile.w_f + i)));
            const VF value = hn::Add(hn::Load(f, tile.e + i), all_w);
            sum = hn::MulAdd(value, value, sum);
        }
        residual = hn::Add(residual, hn::IfThenElseZero(used_lanes(job, first + v * w), sum));
    }
    sums.residual_sq += hn::GetLane(hn::SumOfLanes(f, residual)) / job.sweep->noise_precision;
    sums.paths.sparse_tiles += 1;
    sums.paths.steps += steps;
    for (const std::size_t count : tile.counts) sums.paths.active += count;
    return true;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
