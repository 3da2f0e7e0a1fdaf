// The sparse path for drawing codes, for M < N (docs/math.md, G1, "Few active atoms"). Included once per instruction
// set; see gibbs_block.cpp.
//
// In units of the noise, s_n = gamma |d_n|^2 / alpha_n is the prior variance of atom n. Atoms with s_n above a
// threshold are *active* (a handful after burn-in); the others together are a small perturbation E of the identity:
//
//     C = diag(1/s_I) + D_I^T D_I                      k x k, D of unit atoms, I the active ones, J the rest
//     r = sqrt(gamma) y - D_J u_J - e                  u_J = sqrt(s_J) n_J
//     x_I = C^{-1} (D_I^T (r - E w) + n_I / sqrt(s_I))
//     w = r - E w - D_I x_I                            E = D_J diag(s_J) D_J^T
//     x_J = u_J + s_J D_J^T w
//
// Without E this is solved in double precision by the Cholesky factor of C: w_0. (In r, only D_J u_J is a product in
// single precision, summed in double: it is no larger than the noise.) E changes w_0 by a few hundredths. That
// correction comes from conjugate gradients preconditioned by the same factor; the first product with E, E w_0, is half
// in double precision, and the rest, corrections of corrections, in single.
#if defined(SBDL_CPU_GIBBS_SPARSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_GIBBS_SPARSE_INL
#undef SBDL_CPU_GIBBS_SPARSE_INL
#else
#define SBDL_CPU_GIBBS_SPARSE_INL
#endif

#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "kernels/cpu/gibbs_active-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// out = D_J product_f.
HWY_INLINE void times_dictionary(const SparseTables& tables, const SparseTile& tile, float* out) {
    const Single single;
    const std::size_t w_f = hn::Lanes(single);
    packed_product<8, float_vectors>(
        single, tables.D_f.data.data(), tables.D_f.padded_rows, tile.N, tile.product_f, tile.width,
        [&](std::size_t m, std::size_t v, VS sum) { hn::Store(sum, single, out + m * tile.width + v * w_f); });
}

/// tile.w = r = sqrt(gamma) y - D_J u_J - e. The product is in single precision, with u_J in product_f; since nothing
/// corrects it later, its sums are added in double precision after every few atoms.
inline void right_hand_side(const SparseTables& tables, const SparseTile& tile, const double* y, double sqrt_gamma) {
    constexpr std::size_t at_once = 32, group = 8;
    const F f;
    const Single single;
    const HalfSingle half;
    const std::size_t w = lanes(), w_f = hn::Lanes(single);
    const VF root = hn::Set(f, sqrt_gamma);
    for (std::size_t m = 0; m < tile.M; m += group) {
        const std::size_t rows = std::min(group, tile.M - m);
        for (std::size_t i = m * tile.width; i < (m + rows) * tile.width; i += w)
            hn::Store(hn::MulSub(root, hn::Load(f, y + i), hn::Load(f, tile.e + i)), f, tile.w + i);
        for (std::size_t n = 0; n < tile.N; n += at_once) {
            packed_product<group, float_vectors>(single, tables.D_f.data.data() + m * tile.N + n * group, group,
                                                 std::min(at_once, tile.N - n), tile.product_f + n * tile.width,
                                                 tile.width, [&](std::size_t i, std::size_t v, VS sum) {
                                                     hn::Store(sum, single, tile.Ep + i * tile.width + v * w_f);
                                                 });
            for (std::size_t i = 0; i < rows * tile.width; i += w) {
                double* const to = tile.w + m * tile.width + i;
                hn::Store(hn::Sub(hn::Load(f, to), hn::PromoteTo(f, hn::Load(half, tile.Ep + i))), f, to);
            }
        }
    }
}

/// Ew = E w_0; its first half in double precision, for x_J = u_J + s_J D_J^T w_0.
inline void first_product(const SparseTables& tables, const SparseTile& tile) {
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    packed_product<4, tile_vectors>(f, tables.Dt.data.data(), tables.Dt.padded_rows, tile.M, tile.w, tile.width,
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
inline void next_product(const SparseTables& tables, const SparseTile& tile) {
    const Single single;
    const std::size_t w_f = hn::Lanes(single);
    packed_product<8, float_vectors>(single, tables.Dt_f.data.data(), tables.Dt_f.padded_rows, tile.M, tile.p,
                                     tile.width, [&](std::size_t n, std::size_t v, VS sum) {
                                         if (n >= tile.N) return;  // s_f ends here, and the padding is not read
                                         const std::size_t at = n * tile.width + v * w_f;
                                         hn::Store(hn::Mul(hn::Load(single, tile.s_f + at), sum), single,
                                                   tile.product_f + at);
                                     });
    times_dictionary(tables, tile, tile.Ep);
}

/// Whether the sums are at most their targets in every lane of the tile; false if one is NaN.
HWY_INLINE bool all_within(const VS (&sums)[float_vectors], const VS (&targets)[float_vectors]) {
    for (std::size_t v = 0; v < float_vectors; ++v)
        if (!hn::AllTrue(Single(), hn::Le(sums[v], targets[v]))) return false;
    return true;
}

/// The correction to w_0 by E: S w_f = - E w_0 by conjugate gradients, and with it x_f = s_J D_J^T w_f and all of Ew.
/// Returns the number of steps made, or most_steps + 1 when a signal needs more. A signal that has converged is not
/// changed again, so that it does not depend on its neighbours.
inline std::size_t correct(const SparseTables& tables, const SparseTile& tile) {
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
        if (!hn::AllTrue(single, hn::Lt(size, hn::Set(single, std::numeric_limits<float>::max()))))
            return most_steps + 1;
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

/// The final x_I, and the codes of the tile in their own units in job.x.
inline void store_codes(const GibbsTileJob& job, std::size_t first, const SparseTile& tile) {
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

/// Draws the codes of a loaded tile. False, with the sums unchanged, when a signal has too many active atoms or its
/// solution does not reach the tolerance: the tile then needs the dense path.
HWY_NOINLINE bool draw_sparse(const GibbsTileJob& job, std::size_t first, const GibbsTile& loaded, GibbsSums& sums) {
    const SparseTables& tables = job.tables->sparse;
    const F f;
    const HalfSingle half;
    const std::size_t w = lanes();
    SparseTile tile(*job.tables, loaded, loaded.end);
    if (!split_atoms(job, first, tile)) return false;
    right_hand_side(tables, tile, loaded.y, std::sqrt(job.sweep->noise_precision));
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
