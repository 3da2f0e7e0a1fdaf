// clang-format off: the table below is laid out by hand
// VB codes of a block (docs/math.md, V1 to V3). Three forms, chosen once per sweep (vb_tables.hpp):
//
//   atoms independent, M < N         t_n = 1 / (gamma M s_n + alpha_n)
//       S = I + gamma D diag(t) D^T = L L^T          one tile product, then a Cholesky across lanes
//       w = S^{-1} y,  mu = gamma t D^T w            and y - D mu = w
//       z_n = L^{-1} d_n,  q_n = |z_n|^2             Sigma = diag(t) - gamma diag(t) Z^T Z diag(t)
//       Sigma_nn = t_n - gamma t_n^2 q_n             sum of Sigma over signals: a symmetric product, M signals deep
//       tr(<D^T D> Sigma) = sum_n (M s_n t_n + alpha_n t_n^2 q_n)
//
//   otherwise                        Q = gamma <D^T D> + diag(alpha) = L L^T,  Sigma = L^{-T} L^{-1}:  N^3 flops
//       small N                                      one signal per vector lane
//       large N                                      one signal after the other (panels-inl.hpp)
//
// D here is <D>; q(alpha) follows immediately because it depends only on q(x).
// clang-format on
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/vb_block.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/cpu/vb_tables.hpp"
// The lanes use the logarithm of the header above.
#include "kernels/cpu/covariance_lanes-inl.hpp"
#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

std::size_t vb_tile_width() {
    return tile_vectors * lanes();
}

/// Scratch memory of one tile; every row of the rows layout holds the tile's signals.
struct VbTile {
    VbTile(const VbTables& tables, ScratchCarver memory) : width(tile_vectors * lanes()), end(memory) {
        const std::size_t N4 = round_up_4(tables.N), M4 = round_up_4(tables.M), order = tables.order();
        const auto take = [&](std::size_t count) { return end.take(count); };
        prior_var = take(N4 * width);
        var = take(N4 * width);
        y = take(M4 * width);
        product = take(std::max(M4, N4) * width);
        right = take(order * width);
        if (tables.form == VbForm::panels) {
            factors = take(order * tables.step());
            sum = take(order * tables.step());
            for (double*& row : panel_rows) row = take(order);
            return;
        }
        triangles = take(packed_triangle(order) * width);
        if (tables.form == VbForm::wide) {
            z = take(N4 * order * (tables.sum_in_lanes ? width : lanes()));
            prior_sum = take(N4 * lanes());
        }
        if (tables.sum_in_lanes) sum = take(packed_triangle(N4) * lanes());
    }
    std::size_t width;
    ScratchCarver end;
    double *prior_var, *var, *y, *product, *right;
    double* triangles = nullptr;  ///< planes
    double* z = nullptr;          ///< wide: sqrt(gamma) t_n z_n, of the tile or of one vector
    double* prior_sum = nullptr;  ///< wide: sum of t_n over the block, per lane
    double* sum = nullptr;        ///< sum over the block of the covariances (wide: of the part subtracted from t)
    double* factors = nullptr;    ///< panels
    double* panel_rows[5] = {};   ///< panels: alpha, the right-hand side, mu, Sigma_nn and the pivots
};

std::size_t vb_scratch_size(const VbTables& tables) {
    return VbTile(tables, ScratchCarver(nullptr)).end.taken();
}

HWY_INLINE void load_tile(const VbTileJob& job, std::size_t first, const VbTile& tile) {
    const std::size_t M = job.tables->M;
    const std::size_t used = std::min(job.view.count - first, tile.width);
    for (std::size_t n = 0; n < job.tables->N; ++n) {
        const double* from = job.view.code_var + n * block_size + first;
        double* to = tile.prior_var + n * tile.width;
        std::copy(from, from + used, to);
        std::fill(to + used, to + tile.width, 1.0);
    }
    std::fill(tile.y, tile.y + round_up_4(M) * tile.width, 0.0);
    for (std::size_t m = 0; m < M; ++m) {
        double* to = tile.y + m * tile.width;
        for (std::size_t l = 0; l < used; ++l) to[l] = job.view.signals[(first + l) * M + m];
    }
}

HWY_INLINE double sum_used(const VbTileJob& job, std::size_t first, VF values) {
    return hn::GetLane(hn::SumOfLanes(F(), hn::IfThenElseZero(used_lanes(job, first), values)));
}

/// The vectors of the tile that hold any signal.
HWY_INLINE std::size_t used_vectors(const VbTileJob& job, std::size_t first) {
    return std::min(tile_vectors, (job.view.count - first + lanes() - 1) / lanes());
}

/// z, Sigma_nn and their parts of the residual and ln det, for one vector of the tile; L^{-1} in its plane.
HWY_INLINE void wide_covariance(const VbTileJob& job, std::size_t first, std::size_t v, const VbTile& tile,
                                std::size_t z_step, double* z, VF& residual, VF& log_det) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const std::size_t N = tables.N, order = tables.order();
    const double gamma = job.sweep->noise_precision;
    const VF one = hn::Set(f, 1.0), g = hn::Set(f, gamma), root_g = hn::Set(f, std::sqrt(gamma));
    const auto used = used_lanes(job, first + v * w);
    const double* inverse = tile.triangles + v * packed_triangle(order) * w;
    for (std::size_t n0 = 0; n0 < N; n0 += 4) {
        double* const var = tile.var + n0 * tile.width + v * w;
        VF scale[4], q[4];
        for (std::size_t n = 0; n < 4; ++n)
            scale[n] = hn::IfThenElseZero(used, hn::Mul(hn::Load(f, var + n * tile.width), root_g));
        multiply_atoms(inverse, order, tables.Dt.data.data() + n0 * order, scale, z + n0 * z_step * w, z_step, q);
        VF all_t = one;  // one logarithm for four variances
        for (std::size_t n = 0; n < 4 && n0 + n < N; ++n) {
            double* const prior = tile.prior_var + (n0 + n) * tile.width + v * w;
            double* const prior_sum = tile.prior_sum + (n0 + n) * w;
            const VF t = hn::Load(f, var + n * tile.width);
            const VF tq = hn::Mul(t, q[n]);
            all_t = hn::Mul(all_t, t);
            // M s_n t_n + alpha_n t_n^2 q_n
            const VF alpha_t = hn::Div(t, hn::Load(f, prior));
            residual = hn::MulAdd(t, hn::Set(f, tables.precision[n0 + n] / gamma), residual);
            residual = hn::MulAdd(alpha_t, tq, residual);
            // 1 - gamma t q is in (0, 1), also after rounding.
            const VF left = hn::Max(hn::NegMulAdd(g, tq, one), hn::Zero(f));
            hn::Store(hn::Mul(t, left), f, var + n * tile.width);
            hn::Store(hn::Add(hn::Load(f, prior_sum), hn::IfThenElseZero(used, t)), f, prior_sum);
            hn::Store(t, f, prior);  // t is needed for mu; it replaces alpha
        }
        log_det = hn::Add(log_det, hn::Log(f, all_t));
    }
}

/// Atoms independent, M < N: mu and, in tile.var, Sigma_nn.
HWY_INLINE void posterior_wide(const VbTileJob& job, std::size_t first, const VbTile& tile, BlockSums& sums) {
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
    std::fill(tile.var + N * tile.width, tile.var + round_up_4(N) * tile.width, 0.0);
    tile_product(tables.products.data.data(), tables.products.padded_rows, N, tile.var, tile.width,
                 {tile.triangles, w, plane});
    std::copy(tile.y, tile.y + order * tile.width, tile.right);

    const std::size_t vectors = used_vectors(job, first);
    VF residual[tile_vectors];
    for (VF& r : residual) r = hn::Zero(f);
    for (std::size_t v = 0; v < vectors; ++v) {
        double* S = tile.triangles + v * plane;
        const auto start = [&](std::size_t i, std::size_t j) HWY_ATTR {
            const VF product = hn::Load(f, S + (triangle(i) + j) * w);
            return i == j ? hn::Add(product, one) : product;
        };
        VF log_det = hn::Neg(factor_triangle(S, order, start, [&](std::size_t) { return one; }));
        solve_lower(S, order, tile.right + v * w, tile.width);
        solve_upper(S, order, tile.right + v * w, tile.width);
        for (std::size_t m = 0; m < M; ++m) {
            const VF r = hn::Load(f, tile.right + m * tile.width + v * w);
            residual[v] = hn::MulAdd(r, r, residual[v]);
        }
        invert_triangle(S, order);
        if (tables.sum_in_lanes) {
            const std::size_t z_step = tile_vectors * order;
            wide_covariance(job, first, v, tile, z_step, tile.z + v * order * w, residual[v], log_det);
        } else {
            wide_covariance(job, first, v, tile, order, tile.z, residual[v], log_det);
            add_row_products(tile.z, order * w, order * w, -1.0, *job.x_xt);
        }
        sums.objective.log_det_cov += sum_used(job, first + v * w, log_det);
    }
    if (tables.sum_in_lanes) add_lane_products(tile.z, tile_vectors * order, round_up_4(N), vectors * order, tile.sum);

    tile_product(tables.Dt.data.data(), tables.Dt.padded_rows, order, tile.right, tile.width,
                 {tile.product, tile.width, w});
    for (std::size_t n = 0; n < N; ++n) {
        const VF spread = hn::Set(f, tables.precision[n] / gamma);
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF mu = hn::Mul(hn::Mul(g, hn::Load(f, tile.prior_var + at)), hn::Load(f, tile.product + at));
            const auto used = used_lanes(job, first + v * w);
            hn::Store(hn::IfThenElseZero(used, mu), f, job.mean + n * block_size + first + v * w);
            // what <D^T D> has beyond <D>^T<D>: mu^T diag(M s) mu
            residual[v] = hn::MulAdd(hn::Mul(mu, mu), spread, residual[v]);
        }
    }
    for (std::size_t v = 0; v < vectors; ++v) sums.residual_sq += sum_used(job, first + v * w, residual[v]);
}

/// mu (in tile.right, which has gamma D^T y), Sigma_nn and the sums of the N x N form, one signal per vector lane.
HWY_INLINE void full_in_lanes(const VbTileJob& job, std::size_t first, const VbTile& tile, BlockSums& sums) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const std::size_t N = tables.N, order = tables.order();
    const std::size_t plane = packed_triangle(order) * w;
    const VF one = hn::Set(f, 1.0);
    const std::size_t vectors = used_vectors(job, first);
    for (std::size_t v = 0; v < vectors; ++v) {
        const std::size_t at_signal = first + v * w;
        double* Q = tile.triangles + v * plane;
        const auto alpha = [&](std::size_t n) HWY_ATTR {
            return n < N ? hn::Div(one, hn::Load(f, tile.prior_var + n * tile.width + v * w)) : one;
        };
        const auto start = [&](std::size_t i, std::size_t j) HWY_ATTR {
            const VF gram = hn::Set(f, tables.gram[triangle(i) + j]);
            return i == j ? hn::Add(gram, alpha(i)) : gram;
        };
        sums.objective.log_det_cov -= sum_used(job, at_signal, factor_triangle(Q, order, start, alpha));
        invert_triangle(Q, order);
        double* const right = tile.right + v * w;
        double* const mean = tile.product + v * w;
        double* const variance = tile.var + v * w;
        apply_inverse(Q, order, tile.width, right, mean, variance);
        VF effective = hn::Zero(f);  // N - sum alpha Sigma_nn = gamma tr(<D^T D> Sigma)
        for (std::size_t n = 0; n < order; ++n) {
            const std::size_t at = n * tile.width;
            effective = hn::Add(effective, hn::NegMulAdd(alpha(n), hn::Load(f, variance + at), one));
            hn::Store(hn::Load(f, mean + at), f, right + at);
        }
        sums.residual_sq += sum_used(job, at_signal, effective) / job.sweep->noise_precision;
        if (job.view.count - at_signal < w)  // lanes without a signal must not be in the sum
            for (std::size_t i = 0; i < triangle(order) * w; i += w)
                hn::Store(hn::IfThenElseZero(used_lanes(job, at_signal), hn::Load(f, Q + i)), f, Q + i);
    }
    add_inverse_products(tile.triangles, plane, vectors, order, tile.sum);
}

/// The same, one signal after the other.
HWY_INLINE void full_in_panels(const VbTileJob& job, std::size_t first, const VbTile& tile, BlockSums& sums) {
    const VbTables& tables = *job.tables;
    const std::size_t N = tables.N, order = tables.order();
    const auto& [alpha, right, mean, variance, pivots] = tile.panel_rows;
    const PanelSystem system{order, tables.step(), tables.gram_columns.data(), alpha, tile.factors, pivots};
    std::fill(alpha + N, alpha + order, 1.0);
    std::fill(right + N, right + order, 0.0);
    const std::size_t used = std::min(job.view.count - first, tile.width);
    for (std::size_t l = 0; l < used; ++l) {
        for (std::size_t n = 0; n < N; ++n) {
            alpha[n] = 1.0 / tile.prior_var[n * tile.width + l];
            right[n] = tile.right[n * tile.width + l];
        }
        factor_and_invert(system);
        solve_and_variances(system, right, mean, variance);
        add_upper_products(system, tile.sum);
        double effective = 0.0;  // as above
        for (std::size_t n = 0; n < N; ++n) {
            tile.right[n * tile.width + l] = mean[n];
            tile.var[n * tile.width + l] = variance[n];
            effective += 1.0 - alpha[n] * variance[n];
        }
        sums.residual_sq += effective / job.sweep->noise_precision;
        sums.objective.log_det_cov -= sum_of_logs(pivots, order);
    }
}

/// The N x N form, for a full row covariance or N <= M.
HWY_INLINE void posterior_full(const VbTileJob& job, std::size_t first, const VbTile& tile, BlockSums& sums) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const std::size_t M = tables.M, N = tables.N;
    const VF g = hn::Set(f, job.sweep->noise_precision);
    const std::size_t vectors = used_vectors(job, first);

    tile_product(tables.Dt.data.data(), tables.Dt.padded_rows, round_up_4(M), tile.y, tile.width,
                 {tile.product, tile.width, w});
    for (std::size_t i = 0; i < round_up_4(N) * tile.width; i += w)
        hn::Store(hn::Mul(g, hn::Load(f, tile.product + i)), f, tile.right + i);
    if (tables.form == VbForm::panels)
        full_in_panels(job, first, tile, sums);
    else
        full_in_lanes(job, first, tile, sums);

    VF residual[tile_vectors];
    for (VF& r : residual) r = hn::Zero(f);
    tile_product(tables.D.data.data(), tables.D.padded_rows, N, tile.right, tile.width, {tile.product, tile.width, w});
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t at = m * tile.width + v * w;
            const VF r = hn::Sub(hn::Load(f, tile.y + at), hn::Load(f, tile.product + at));
            residual[v] = hn::MulAdd(r, r, residual[v]);
        }
    tile_product(tables.spread.data.data(), tables.spread.padded_rows, N, tile.right, tile.width,
                 {tile.product, tile.width, w});
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF mu = hn::Load(f, tile.right + at);
            residual[v] = hn::MulAdd(mu, hn::Load(f, tile.product + at), residual[v]);
            hn::Store(hn::IfThenElseZero(used_lanes(job, first + v * w), mu), f,
                      job.mean + n * block_size + first + v * w);
        }
    for (std::size_t v = 0; v < vectors; ++v) sums.residual_sq += sum_used(job, first + v * w, residual[v]);
}

/// q(alpha): b~ = b + <x^2>/2, and everything else that depends on <x^2>.
HWY_INLINE void update_code_var(const VbTileJob& job, std::size_t first, const VbTile& tile, BlockSums& sums) {
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
        sums.objective.log_code_rate += sum_used(job, at, log_sum);
        store_density(job, at, density);
    }
}

/// x_xt += the block's sum of the covariances, as far as it has not been added yet.
HWY_INLINE void add_sum(const VbTileJob& job, const VbTile& tile) {
    const VbTables& tables = *job.tables;
    const F f;
    const std::size_t w = lanes();
    const auto over_lanes = [&](const double* at) { return hn::GetLane(hn::SumOfLanes(f, hn::Load(f, at))); };
    const auto entry = [&](std::size_t n, std::size_t m) -> double& {
        return job.x_xt->coeffRef(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m));
    };
    const double sign = tables.form == VbForm::wide ? -1.0 : 1.0;
    for (std::size_t n = 0; n < tables.N; ++n) {
        if (tables.form == VbForm::wide) entry(n, n) += over_lanes(tile.prior_sum + n * w);
        for (std::size_t m = 0; m <= n; ++m)
            if (tables.sum_in_lanes)
                entry(n, m) += sign * over_lanes(tile.sum + (triangle(n) + m) * w);
            else if (tables.form == VbForm::panels)
                entry(n, m) += tile.sum[m * tables.step() + n];
    }
}

BlockSums vb_tiles(const VbTileJob& job) {
    const VbTables& tables = *job.tables;
    const VbTile tile(tables, ScratchCarver(job.scratch));
    const std::size_t N4 = round_up_4(tables.N);
    if (tables.form == VbForm::wide) std::fill(tile.prior_sum, tile.prior_sum + N4 * lanes(), 0.0);
    if (tables.form == VbForm::panels) std::fill(tile.sum, tile.sum + tables.order() * tables.step(), 0.0);
    if (tables.sum_in_lanes) std::fill(tile.sum, tile.sum + packed_triangle(N4) * lanes(), 0.0);
    BlockSums sums;
    for (std::size_t first = 0; first < job.view.count; first += tile.width) {
        load_tile(job, first, tile);
        if (tables.form == VbForm::wide)
            posterior_wide(job, first, tile, sums);
        else
            posterior_full(job, first, tile, sums);
        update_code_var(job, first, tile, sums);
    }
    add_sum(job, tile);
    return sums;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(vb_tile_width);
HWY_EXPORT(vb_scratch_size);
HWY_EXPORT(vb_tiles);

namespace {

class VbCpu final : public VbKernel {
public:
    void begin_sweep(const VbSweep& sweep) override {
        sweep_ = sweep;
        gappy_->begin_sweep(sweep);
        if (sweep.unchanged || sweep.entry_var != nullptr) return;
        const Mat& D = *sweep.dictionary;
        const double gamma = sweep.noise_precision;
        const auto M = static_cast<double>(D.rows());
        tables_.set_dictionary(D, 4);
        tables_.choose_form(sweep.row_cov == nullptr && D.rows() < D.cols(), HWY_DYNAMIC_DISPATCH(vb_tile_width)());
        if (tables_.form == VbForm::wide) {
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
            const Mat gram = gamma * (D.transpose() * D + spread);
            if (tables_.form == VbForm::lanes) {
                pack_lower(gram, tables_.gram);
            } else {
                tables_.gram_columns.assign(tables_.order() * tables_.step(), 0.0);
                for (Eigen::Index n = 0; n < gram.cols(); ++n)
                    std::copy_n(gram.col(n).data(), gram.rows(),
                                tables_.gram_columns.data() + static_cast<std::size_t>(n) * tables_.step());
            }
        }
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        if (view.gaps || sweep_.entry_var != nullptr) {
            gappy_->block(view, stats, workspace);
            return;
        }
        const std::size_t codes = tables_.N * block_size;
        double* memory = workspace.doubles(codes + HWY_DYNAMIC_DISPATCH(vb_scratch_size)(tables_));
        double* mean = view.codes != nullptr ? view.codes : memory;
        HWY_DYNAMIC_DISPATCH(vb_tiles)({&tables_, &sweep_, view, mean, memory + codes, &stats.x_xt}).add_to(stats);
        add_code_products(view.signals, mean, view.count, stats);
    }

private:
    VbSweep sweep_;
    VbTables tables_;
    std::unique_ptr<VbKernel> gappy_ = reference_kernels().vb();  // of signals with gaps, plainly: few use this prior
};

}  // namespace

std::unique_ptr<VbKernel> make_vb_cpu() {
    return std::make_unique<VbCpu>();
}

}  // namespace sbdl
#endif
