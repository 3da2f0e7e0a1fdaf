// clang-format off: the table below is laid out by hand
// VB codes of a block, one signal per vector lane (docs/math.md, V1 to V3). For a tile of signals:
//
//   atoms independent, M < N         t_n = 1 / (gamma M s_n + alpha_n)
//       S = I + gamma D diag(t) D^T = L L^T          one tile product, then a Cholesky across lanes
//       w = S^{-1} y,  mu = gamma t D^T w            and y - D mu = w
//       z_n = L^{-1} d_n,  q_n = |z_n|^2             Sigma = diag(t) - gamma diag(t) Z^T Z diag(t)
//       Sigma_nn = t_n - gamma t_n^2 q_n             sum of Sigma over signals: one rank-(M lanes) BLAS update a vector
//       tr(<D^T D> Sigma) = sum_n (M s_n t_n + alpha_n t_n^2 q_n)
//
//   otherwise                        Q = gamma <D^T D> + diag(alpha) = L L^T,  Sigma = L^{-T} L^{-1},  across lanes:
//   N^3
//
// D here is <D>; q(alpha) follows at once because it depends on q(x) alone.
// clang-format on
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/vb_block.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway asks.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/cpu/vb_tables.hpp"
// The lanes use the logarithm of the header above.
#include "kernels/cpu/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

std::size_t vb_tile_width() {
    return tile_vectors * lanes();
}

/// Scratch of one tile; every row holds the tile's signals.
struct VbTile {
    VbTile(const VbTables& tables, double* scratch) : width(tile_vectors * lanes()) {
        const std::size_t N4 = round_up_4(tables.N);
        const std::size_t M4 = round_up_4(tables.M);
        prior_var = scratch;
        var = prior_var + N4 * width;
        y = var + N4 * width;
        product = y + M4 * width;
        right = product + std::max(M4, N4) * width;
        triangles = right + tables.order() * width;
        // wide: z_n of one vector; otherwise: the sum of Sigma a lane
        extra = triangles + packed_triangle(tables.order()) * width;
    }
    std::size_t width;
    double *prior_var, *var, *y, *product, *right, *triangles, *extra;
};

HWY_INLINE void load_tile(const VbTileJob& job, std::size_t first, const VbTile& tile) {
    const std::size_t M = job.tables->M;
    const std::size_t used = std::min(job.view.count - first, tile.width);
    for (std::size_t n = 0; n < job.tables->N; ++n) {
        const double* from = job.view.code_var + n * block_size + first;
        double* to = tile.prior_var + n * tile.width;
        std::copy(from, from + used, to);
        std::fill(to + used, to + tile.width, 1.0);
    }
    for (std::size_t m = 0; m < M; ++m) {
        double* to = tile.y + m * tile.width;
        for (std::size_t l = 0; l < used; ++l) to[l] = job.view.signals[(first + l) * M + m];
        std::fill(to + used, to + tile.width, 0.0);
    }
}

HWY_INLINE auto used_lanes(const VbTileJob& job, std::size_t first) {
    return hn::FirstN(F(), job.view.count > first ? job.view.count - first : 0);
}

HWY_INLINE double sum_used(const VbTileJob& job, std::size_t first, VF values) {
    return hn::GetLane(hn::SumOfLanes(F(), hn::IfThenElseZero(used_lanes(job, first), values)));
}

/// Z = L^{-1} D for one vector of the tile: z_n(i) at z + (n order + i) lanes. M^2 N flops a lane.
HWY_INLINE void solve_dictionary(const double* HWY_RESTRICT L, const VbTables& tables, double* HWY_RESTRICT z) {
    const F f;
    const std::size_t w = lanes();
    const std::size_t order = tables.order(), M = tables.M;
    for (std::size_t n0 = 0; n0 < tables.N; n0 += 4) {
        const std::size_t atoms = std::min<std::size_t>(4, tables.N - n0);
        double* column[4];  // past the last atom, the last one is simply computed again
        const double* d[4];
        for (std::size_t q = 0; q < 4; ++q) {
            const std::size_t n = n0 + std::min(q, atoms - 1);
            column[q] = z + n * order * w;
            d[q] = tables.columns + n * M;
        }
        for (std::size_t i0 = 0; i0 < order; i0 += 4) {
            VF acc[4][4];
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t q = 0; q < 4; ++q) acc[i][q] = hn::Set(f, i0 + i < M ? d[q][i0 + i] : 0.0);
            const double* row[4];
            for (std::size_t i = 0; i < 4; ++i) row[i] = L + triangle(i0 + i) * w;
            for (std::size_t k = 0; k < i0 * w; k += w) {
                const VF z0 = hn::Load(f, column[0] + k), z1 = hn::Load(f, column[1] + k),
                         z2 = hn::Load(f, column[2] + k), z3 = hn::Load(f, column[3] + k);
                for (std::size_t i = 0; i < 4; ++i) {
                    const VF l = hn::Load(f, row[i] + k);
                    acc[i][0] = hn::NegMulAdd(l, z0, acc[i][0]);
                    acc[i][1] = hn::NegMulAdd(l, z1, acc[i][1]);
                    acc[i][2] = hn::NegMulAdd(l, z2, acc[i][2]);
                    acc[i][3] = hn::NegMulAdd(l, z3, acc[i][3]);
                }
            }
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t q = 0; q < 4; ++q) {
                    for (std::size_t k = 0; k < i; ++k)
                        acc[i][q] = hn::NegMulAdd(hn::Load(f, row[i] + (i0 + k) * w), acc[k][q], acc[i][q]);
                    acc[i][q] = hn::Mul(acc[i][q], hn::Load(f, row[i] + (i0 + i) * w));
                    hn::Store(acc[i][q], f, column[q] + (i0 + i) * w);
                }
        }
    }
}

/// Atoms independent, M < N: fills tile.right with mu (rows of N in tile.product) and tile.var with Sigma_nn.
HWY_INLINE void posterior_wide(const VbTileJob& job, std::size_t first, const VbTile& tile, VbSums& sums) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const std::size_t M = tables.M, N = tables.N, order = tables.order();
    const std::size_t plane = packed_triangle(order) * w;
    const double gamma = job.sweep->noise_precision;
    const VF one = hn::Set(f, 1.0), g = hn::Set(f, gamma);

    for (std::size_t n = 0; n < N; ++n)  // t_n
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF alpha = hn::Div(one, hn::Load(f, tile.prior_var + at));
            hn::Store(hn::Div(one, hn::Add(alpha, hn::Set(f, tables.precision[n]))), f, tile.var + at);
        }
    tile_product(tables.products.data.data(), tables.products.rows4, N, tile.var, tile.width,
                 {tile.triangles, w, plane});
    for (std::size_t i = 0; i < order * tile.width; i += w)
        hn::Store(i < M * tile.width ? hn::Load(f, tile.y + i) : hn::Zero(f), f, tile.right + i);

    const double root_gamma = std::sqrt(gamma);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const std::size_t at_signal = first + v * w;
        if (at_signal >= job.view.count) break;
        const auto used = used_lanes(job, at_signal);
        double* S = tile.triangles + v * plane;
        for (std::size_t i = 0; i < order; ++i) {
            double* diagonal = S + (triangle(i) + i) * w;
            hn::Store(hn::Add(hn::Load(f, diagonal), one), f, diagonal);
        }
        VF log_det = hn::Neg(cholesky(S, order, [&](std::size_t) { return one; }));
        solve_lower(S, order, tile.right + v * w, tile.width);
        solve_upper(S, order, tile.right + v * w, tile.width);
        VF residual = hn::Zero(f);
        for (std::size_t m = 0; m < M; ++m) {
            const VF r = hn::Load(f, tile.right + m * tile.width + v * w);
            residual = hn::MulAdd(r, r, residual);
        }
        solve_dictionary(S, tables, tile.extra);
        for (std::size_t n = 0; n < N; ++n) {
            double* z = tile.extra + n * order * w;
            VF q = hn::Zero(f);
            for (std::size_t i = 0; i < order; ++i) q = hn::MulAdd(hn::Load(f, z + i * w), hn::Load(f, z + i * w), q);
            const std::size_t at = n * tile.width + v * w;
            const VF t = hn::Load(f, tile.var + at);
            const VF scale = hn::IfThenElseZero(used, hn::Mul(t, hn::Set(f, root_gamma)));
            for (std::size_t i = 0; i < order; ++i) hn::Store(hn::Mul(hn::Load(f, z + i * w), scale), f, z + i * w);
            const VF tq = hn::Mul(t, q);
            log_det = hn::Add(log_det, hn::Log(f, t));
            // M s_n t_n + alpha_n t_n^2 q_n
            const VF alpha_t = hn::Div(t, hn::Load(f, tile.prior_var + at));
            residual = hn::MulAdd(t, hn::Set(f, tables.precision[n] / gamma), residual);
            residual = hn::MulAdd(alpha_t, tq, residual);
            // 1 - gamma t q is in (0, 1); rounding is held to that.
            const VF left = hn::Max(hn::NegMulAdd(g, tq, one), hn::Zero(f));
            hn::Store(hn::Mul(t, left), f, tile.var + at);
            job.x_xt->coeffRef(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n)) +=
                sum_used(job, at_signal, t);
            // t itself is needed for mu below: kept where alpha was until then
            hn::Store(t, f, tile.prior_var + at);
        }
        add_row_products(tile.extra, order * w, order * w, -1.0, *job.x_xt);
        sums.residual_sq += sum_used(job, at_signal, residual);
        sums.log_det_cov += sum_used(job, at_signal, log_det);
    }
    tile_product(tables.Dt.data.data(), tables.Dt.rows4, M, tile.right, tile.width, {tile.product, tile.width, w});
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF mu = hn::Mul(hn::Mul(g, hn::Load(f, tile.prior_var + at)), hn::Load(f, tile.product + at));
            const auto used = used_lanes(job, first + v * w);
            hn::Store(hn::IfThenElseZero(used, mu), f, job.mean + n * block_size + first + v * w);
            // what <D^T D> has beyond <D>^T<D>: mu^T diag(M s) mu
            sums.residual_sq +=
                sum_used(job, first + v * w, hn::Mul(hn::Mul(mu, mu), hn::Set(f, tables.precision[n] / gamma)));
        }
}

/// lane sums += L^{-T} L^{-1} of the lanes in use, packed lower triangle; L^{-1} in `t`. order^3 / 3 flops a lane.
template <class Mask>
HWY_INLINE void add_covariance(const double* HWY_RESTRICT t, std::size_t order, const Mask& used,
                               double* HWY_RESTRICT sum) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t n0 = 0; n0 < order; n0 += 4)
        for (std::size_t m0 = 0; m0 <= n0; m0 += 4) {
            VF acc[4][4];
            for (auto& row : acc)
                for (auto& v : row) v = hn::Zero(f);
            for (std::size_t i = n0; i < n0 + 4; ++i)  // the triangle's tip, where some entries are not stored
                for (std::size_t n = n0; n <= i; ++n)
                    for (std::size_t m = m0; m < m0 + 4 && m <= i; ++m)
                        acc[n - n0][m - m0] = hn::MulAdd(hn::Load(f, t + (triangle(i) + n) * w),
                                                         hn::Load(f, t + (triangle(i) + m) * w), acc[n - n0][m - m0]);
            for (std::size_t i = n0 + 4; i < order; ++i) {
                const double* xn = t + (triangle(i) + n0) * w;
                const double* xm = t + (triangle(i) + m0) * w;
                const VF m_0 = hn::Load(f, xm), m_1 = hn::Load(f, xm + w), m_2 = hn::Load(f, xm + 2 * w),
                         m_3 = hn::Load(f, xm + 3 * w);
                for (std::size_t n = 0; n < 4; ++n) {
                    const VF x = hn::Load(f, xn + n * w);
                    acc[n][0] = hn::MulAdd(x, m_0, acc[n][0]);
                    acc[n][1] = hn::MulAdd(x, m_1, acc[n][1]);
                    acc[n][2] = hn::MulAdd(x, m_2, acc[n][2]);
                    acc[n][3] = hn::MulAdd(x, m_3, acc[n][3]);
                }
            }
            for (std::size_t n = 0; n < 4; ++n)
                for (std::size_t m = 0; m < 4 && m0 + m <= n0 + n; ++m) {
                    double* at = sum + (triangle(n0 + n) + m0 + m) * w;
                    hn::Store(hn::Add(hn::Load(f, at), hn::IfThenElseZero(used, acc[n][m])), f, at);
                }
        }
}

/// The N x N form, for a full row covariance or N <= M.
HWY_INLINE void posterior_full(const VbTileJob& job, std::size_t first, const VbTile& tile, VbSums& sums) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const std::size_t M = tables.M, N = tables.N, order = tables.order();
    const std::size_t plane = packed_triangle(order) * w;
    const double gamma = job.sweep->noise_precision;
    const VF one = hn::Set(f, 1.0), g = hn::Set(f, gamma);

    tile_product(tables.Dt.data.data(), tables.Dt.rows4, M, tile.y, tile.width, {tile.product, tile.width, w});
    for (std::size_t i = 0; i < order * tile.width; i += w)
        hn::Store(hn::Mul(g, hn::Load(f, tile.product + i)), f, tile.right + i);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const std::size_t at_signal = first + v * w;
        if (at_signal >= job.view.count) break;
        double* Q = tile.triangles + v * plane;
        const auto alpha = [&](std::size_t n) {
            return n < N ? hn::Div(one, hn::Load(f, tile.prior_var + n * tile.width + v * w)) : one;
        };
        for (std::size_t i = 0; i < triangle(order); ++i) hn::Store(hn::Set(f, tables.gram[i]), f, Q + i * w);
        for (std::size_t n = 0; n < order; ++n) {
            double* diagonal = Q + (triangle(n) + n) * w;
            hn::Store(hn::Add(hn::Load(f, diagonal), alpha(n)), f, diagonal);
        }
        sums.log_det_cov -= sum_used(job, at_signal, cholesky(Q, order, alpha));
        solve_lower(Q, order, tile.right + v * w, tile.width);
        solve_upper(Q, order, tile.right + v * w, tile.width);
        invert_lower(Q, order);
        VF effective = hn::Zero(f);  // N - sum alpha Sigma_nn = gamma tr(<D^T D> Sigma)
        for (std::size_t n = 0; n < N; ++n) {
            VF variance = hn::Zero(f);
            for (std::size_t i = n; i < order; ++i) {
                const VF x = hn::Load(f, Q + (triangle(i) + n) * w);
                variance = hn::MulAdd(x, x, variance);
            }
            hn::Store(variance, f, tile.var + n * tile.width + v * w);
            effective = hn::Add(effective, hn::NegMulAdd(alpha(n), variance, one));
        }
        sums.residual_sq += sum_used(job, at_signal, effective) / gamma;
        add_covariance(Q, order, used_lanes(job, at_signal), tile.extra);
    }
    tile_product(tables.D.data.data(), tables.D.rows4, N, tile.right, tile.width, {tile.product, tile.width, w});
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = m * tile.width + v * w;
            const VF r = hn::Sub(hn::Load(f, tile.y + at), hn::Load(f, tile.product + at));
            sums.residual_sq += sum_used(job, first + v * w, hn::Mul(r, r));
        }
    tile_product(tables.spread.data.data(), tables.spread.rows4, N, tile.right, tile.width,
                 {tile.product, tile.width, w});
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF mu = hn::Load(f, tile.right + at);
            sums.residual_sq += sum_used(job, first + v * w, hn::Mul(mu, hn::Load(f, tile.product + at)));
            hn::Store(hn::IfThenElseZero(used_lanes(job, first + v * w), mu), f,
                      job.mean + n * block_size + first + v * w);
        }
}

/// q(alpha): b~ = b + <x^2>/2, and what depends on <x^2>.
HWY_INLINE void update_code_var(const VbTileJob& job, std::size_t first, const VbTile& tile, VbSums& sums) {
    const F f;
    const std::size_t w = lanes();
    const std::size_t N = job.tables->N;
    const VF half = hn::Set(f, 0.5), b = hn::Set(f, job.sweep->code_prior.rate), one = hn::Set(f, 1.0);
    const VF per_shape = hn::Set(f, 1.0 / (job.sweep->code_prior.shape + 0.5));
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const std::size_t at = first + v * w;
        if (at >= job.view.count) return;
        VF log_sum = hn::Zero(f), product = one, density = hn::Zero(f);
        for (std::size_t n = 0; n < N; ++n) {
            const VF mu = hn::Load(f, job.mean + n * block_size + at);
            const VF variance = hn::Load(f, tile.var + n * tile.width + v * w);
            const VF second = hn::MulAdd(mu, mu, variance);
            const VF rate = hn::MulAdd(half, second, b);
            hn::Store(hn::Mul(rate, per_shape), f, job.view.code_var + n * block_size + at);
            if (job.view.codes_var != nullptr) hn::Store(variance, f, job.view.codes_var + n * block_size + at);
            product = hn::Mul(product, rate);  // one logarithm for four rates
            if (n % 4 == 3 || n + 1 == N) {
                log_sum = hn::Add(log_sum, hn::Log(f, product));
                product = one;
            }
            const double scale = job.sweep->noise_precision * job.tables->atom_norm_sq[n] / 9.0;
            density = hn::Add(density, hn::Min(one, hn::Mul(second, hn::Set(f, scale))));
        }
        sums.log_code_rate += sum_used(job, at, log_sum);
        HWY_ALIGN double densities[HWY_MAX_BYTES / sizeof(double)];
        hn::Store(density, f, densities);
        for (std::size_t l = 0; l < w && at + l < job.view.count; ++l) job.view.density[at + l] = densities[l];
    }
}

VbSums vb_tiles(const VbTileJob& job) {
    const VbTables& tables = *job.tables;
    const VbTile tile(tables, job.scratch);
    const F f;
    const std::size_t w = lanes();
    const std::size_t order = tables.order();
    if (!tables.wide)
        for (std::size_t i = 0; i < triangle(order); ++i) hn::Store(hn::Zero(f), f, tile.extra + i * w);
    VbSums sums;
    for (std::size_t first = 0; first < job.view.count; first += tile.width) {
        load_tile(job, first, tile);
        if (tables.wide)
            posterior_wide(job, first, tile, sums);
        else
            posterior_full(job, first, tile, sums);
        update_code_var(job, first, tile, sums);
    }
    if (!tables.wide)
        for (std::size_t n = 0; n < tables.N; ++n)
            for (std::size_t m = 0; m <= n; ++m)
                job.x_xt->coeffRef(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m)) +=
                    hn::GetLane(hn::SumOfLanes(f, hn::Load(f, tile.extra + (triangle(n) + m) * w)));
    return sums;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(vb_tile_width);
HWY_EXPORT(vb_tiles);

namespace {

class VbCpu final : public VbKernel {
public:
    void begin_sweep(const VbSweep& sweep) override {
        sweep_ = sweep;
        const Mat& D = *sweep.dictionary;
        const double gamma = sweep.noise_precision;
        const auto M = static_cast<double>(D.rows());
        tables_.M = static_cast<std::size_t>(D.rows());
        tables_.N = static_cast<std::size_t>(D.cols());
        tables_.wide = sweep.row_cov == nullptr && D.rows() < D.cols();
        tables_.columns = D.data();
        pack(D, tables_.D);
        pack(D.transpose(), tables_.Dt);
        if (tables_.wide) {
            pack_products(D, gamma, tables_.products);
            tables_.precision.assign(tables_.N, 0.0);
            if (sweep.atom_var != nullptr)
                for (std::size_t n = 0; n < tables_.N; ++n)
                    tables_.precision[n] = gamma * M * (*sweep.atom_var)[static_cast<Eigen::Index>(n)];
        } else {
            Mat spread = Mat::Zero(D.cols(), D.cols());
            if (sweep.atom_var != nullptr) spread.diagonal() = M * *sweep.atom_var;
            if (sweep.row_cov != nullptr) spread += M * *sweep.row_cov;
            pack(spread, tables_.spread);
            pack_lower(gamma * (D.transpose() * D + spread), tables_.gram);
        }
        tables_.atom_norm_sq.resize(tables_.N);
        for (std::size_t n = 0; n < tables_.N; ++n)
            tables_.atom_norm_sq[n] = D.col(static_cast<Eigen::Index>(n)).squaredNorm();
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        const std::size_t codes = tables_.N * block_size;
        double* memory = workspace.doubles(codes + scratch_size());
        double* mean = view.codes != nullptr ? view.codes : memory;
        const VbSums sums =
            HWY_DYNAMIC_DISPATCH(vb_tiles)({&tables_, &sweep_, view, mean, memory + codes, &stats.x_xt});
        stats.residual_sq += sums.residual_sq;
        stats.objective.log_det_cov += sums.log_det_cov;
        stats.objective.log_code_rate += sums.log_code_rate;
        add_code_products(view, mean, stats);
    }

private:
    [[nodiscard]] std::size_t scratch_size() const {
        const std::size_t N4 = round_up_4(tables_.N), M4 = round_up_4(tables_.M), order = tables_.order();
        const std::size_t packed = packed_triangle(order);
        const std::size_t rows = 2 * N4 + M4 + std::max(M4, N4) + order + packed;
        const std::size_t extra = tables_.wide ? tables_.N * order : packed;  // of one vector
        const std::size_t width = HWY_DYNAMIC_DISPATCH(vb_tile_width)();
        return rows * width + extra * width / 4;
    }

    VbSweep sweep_;
    VbTables tables_;
};

}  // namespace

std::unique_ptr<VbKernel> make_vb_cpu() {
    return std::make_unique<VbCpu>();
}

}  // namespace sbdl
#endif
