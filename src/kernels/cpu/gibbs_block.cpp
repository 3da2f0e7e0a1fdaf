// clang-format off: the table below is laid out by hand
// Gibbs codes of a block, one signal per vector lane (docs/math.md, G1 and G2). For a tile of signals:
//
//   M < N    u = sqrt(v) n                            v = 1/alpha; n, e standard normals
//            S = I + gamma D diag(v) D^T              one tile product with the table of d_in d_jn:
//                                                     M (M+1) N flops per signal
//            S w = sqrt(gamma) (y - D u) - e          Cholesky across lanes: M^3 / 3
//            x = u + sqrt(gamma) v D^T w              both products with D: 4 M N
//            y - D x = (e + w) / sqrt(gamma)          follows from the previous line: the residual costs nothing
//
//            A missing entry of y has a row of zeros in D: its row and column of S are those of I, and w is 0 there
//
//   N <= M   (gamma D^T D + diag(1/v)) x = D^T (gamma y - sqrt(gamma) e) + n / sqrt(v)
//                                                     Cholesky across lanes: N^3 / 3
//
// then v is redrawn as (b + x^2/2) / Gamma(a + 1/2), and the statistics are two BLAS products over the whole block
// (those of the sparse path are in split_products-inl.hpp).
// Both forms yield the same x from the same normals. S >= I, so its pivots are at least 1, and those of the N x N
// matrix at least 1/v; these bounds are enforced against rounding.
// clang-format on
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gibbs_block.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include <cmath>

#include "kernels/code_precision_draw.hpp"
#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/cpu/gibbs_sparse-inl.hpp"
#include "kernels/cpu/split_products-inl.hpp"
#include "kernels/missing_entries.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// The dense path's part of a tile.
struct DenseTile {
    DenseTile(const GibbsTables& tables, const GibbsTile& tile, ScratchCarver memory)
        : product(memory.take((tables.wide ? round_up_4(tables.N) : round_up_4(tables.M)) * tile.width)),
          right(memory.take(tables.order() * tile.width)),
          triangles(memory.take(packed_triangle(tables.order()) * tile.width)),
          end(memory) {}
    double *product, *right, *triangles;
    ScratchCarver end;
};

/// Doubles of scratch memory that gibbs_tiles() needs.
std::size_t gibbs_scratch(const GibbsTables& tables) {
    const GibbsTile tile(tables, ScratchCarver(nullptr));
    const std::size_t dense = DenseTile(tables, tile, tile.end).end.taken();
    const std::size_t sparse = tables.wide ? SparseTile(tables, tile, tile.end).end.taken() : 0;
    return dense > sparse ? dense : sparse;
}

/// Of a triangle S - I, keeps the rows and columns of observed entries; the others become zero.
inline void keep_seen(const GibbsTile& tile, std::size_t v, std::size_t M, double* S) {
    const F f;
    const std::size_t w = lanes();
    for (std::size_t i = 0; i < M; ++i) {
        const VF row = hn::Load(f, tile.seen + i * tile.width + v * w);
        for (std::size_t j = 0; j <= i; ++j) {
            double* const entry = S + (triangle(i) + j) * w;
            const VF both = hn::Mul(row, hn::Load(f, tile.seen + j * tile.width + v * w));
            hn::Store(hn::Mul(hn::Load(f, entry), both), f, entry);
        }
    }
}

// These functions are not inlined, so that optimising one of them does not slow down the others.

/// M < N. Leaves x in job.x and returns the residuals' sum.
HWY_NOINLINE double draw_wide(const GibbsTileJob& job, std::size_t first, const GibbsTile& tile) {
    const DenseTile dense(*job.tables, tile, tile.end);
    const GibbsTables& tables = *job.tables;
    const std::size_t w = lanes();
    const std::size_t M = tables.M, N = tables.N, order = tables.order();
    const PackedRows& products = tables.products.get();
    const std::size_t plane = packed_triangle(order) * w;
    const F f;
    const double gamma = job.sweep->noise_precision;
    const VF sqrt_gamma = hn::Set(f, std::sqrt(gamma));
    const VF one = hn::Set(f, 1.0);

    double* u = tile.normals;  // sqrt(v) n takes the place of n
    const double* e = tile.e;
    for (std::size_t i = 0; i < N * tile.width; i += w)
        hn::Store(hn::Mul(hn::Sqrt(hn::Load(f, tile.var + i)), hn::Load(f, u + i)), f, u + i);

    tile_product(tables.D.data.data(), tables.D.padded_rows, N, u, tile.width, {dense.product, tile.width, w});
    for (std::size_t i = 0; i < M * tile.width; i += w) {
        const VF misfit = hn::Sub(hn::Load(f, tile.y + i), hn::Load(f, dense.product + i));
        hn::Store(hn::MulSub(sqrt_gamma, misfit, hn::Load(f, e + i)), f, dense.right + i);
    }
    for (std::size_t i = M * tile.width; i < order * tile.width; i += w) hn::Store(hn::Zero(f), f, dense.right + i);
    if (job.view.gaps) clear_missing(tile, M, dense.right);

    tile_product(products.data.data(), products.padded_rows, N, tile.var, tile.width, {dense.triangles, w, plane});
    VF residual = hn::Zero(f);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        double* S = dense.triangles + v * plane;
        if (job.view.gaps) keep_seen(tile, v, M, S);
        for (std::size_t i = 0; i < order; ++i) {
            double* diagonal = S + (triangle(i) + i) * w;
            hn::Store(hn::Add(hn::Load(f, diagonal), one), f, diagonal);
        }
        cholesky(S, order, [&](std::size_t) { return one; });
        solve_lower(S, order, dense.right + v * w, tile.width);
        solve_upper(S, order, dense.right + v * w, tile.width);
        VF sum = hn::Zero(f);
        for (std::size_t m = 0; m < M; ++m) {
            const std::size_t at = m * tile.width + v * w;
            VF r = hn::Add(hn::Load(f, e + at), hn::Load(f, dense.right + at));
            if (job.view.gaps) r = hn::Mul(r, hn::Load(f, tile.seen + at));
            sum = hn::MulAdd(r, r, sum);
        }
        residual = hn::Add(residual, hn::IfThenElseZero(used_lanes(job, first + v * w), sum));
    }

    tile_product(tables.Dt.data.data(), tables.Dt.padded_rows, M, dense.right, tile.width,
                 {dense.product, tile.width, w});
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            const std::size_t at = n * tile.width + v * w;
            const VF step = hn::Mul(hn::Mul(sqrt_gamma, hn::Load(f, tile.var + at)), hn::Load(f, dense.product + at));
            hn::Store(hn::IfThenElseZero(used_lanes(job, first + v * w), hn::Add(hn::Load(f, u + at), step)), f,
                      job.x + n * block_size + first + v * w);
        }
    return hn::GetLane(hn::SumOfLanes(f, residual)) / gamma;
}

/// The same for N <= M.
HWY_NOINLINE double draw_tall(const GibbsTileJob& job, std::size_t first, const GibbsTile& tile) {
    const DenseTile dense(*job.tables, tile, tile.end);
    const GibbsTables& tables = *job.tables;
    const std::size_t w = lanes();
    const std::size_t M = tables.M, N = tables.N, order = tables.order();
    const std::size_t plane = packed_triangle(order) * w;
    const F f;
    const double gamma = job.sweep->noise_precision;
    const VF sqrt_gamma = hn::Set(f, std::sqrt(gamma));
    const VF one = hn::Set(f, 1.0);

    double* e = tile.e;  // sqrt(gamma) (sqrt(gamma) y - e) takes the place of e
    for (std::size_t i = 0; i < M * tile.width; i += w)
        hn::Store(hn::Mul(sqrt_gamma, hn::MulSub(sqrt_gamma, hn::Load(f, tile.y + i), hn::Load(f, e + i))), f, e + i);
    if (job.view.gaps) clear_missing(tile, M, e);
    tile_product(tables.Dt.data.data(), tables.Dt.padded_rows, M, e, tile.width, {dense.right, tile.width, w});
    for (std::size_t i = 0; i < N * tile.width; i += w) {
        const VF prior = hn::Div(hn::Load(f, tile.normals + i), hn::Sqrt(hn::Load(f, tile.var + i)));
        hn::Store(hn::Add(hn::Load(f, dense.right + i), prior), f, dense.right + i);
    }
    if (job.view.gaps) {
        const PackedRows& products = tables.gram_of_seen.get();
        tile_product(products.data.data(), products.padded_rows, M, tile.seen, tile.width, {dense.triangles, w, plane});
    }
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        double* Q = dense.triangles + v * plane;
        for (std::size_t i = 0; !job.view.gaps && i < triangle(order); ++i)
            hn::Store(hn::Set(f, tables.gram[i]), f, Q + i * w);
        const auto precision = [&](std::size_t n) {
            return n < N ? hn::Div(one, hn::Load(f, tile.var + n * tile.width + v * w)) : one;
        };
        for (std::size_t n = 0; n < order; ++n) {
            double* diagonal = Q + (triangle(n) + n) * w;
            hn::Store(hn::Add(hn::Load(f, diagonal), precision(n)), f, diagonal);
        }
        cholesky(Q, order, precision);
        solve_lower(Q, order, dense.right + v * w, tile.width);
        solve_upper(Q, order, dense.right + v * w, tile.width);
    }
    tile_product(tables.D.data.data(), tables.D.padded_rows, N, dense.right, tile.width,
                 {dense.product, tile.width, w});
    VF residual = hn::Zero(f);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const auto used = used_lanes(job, first + v * w);
        VF sum = hn::Zero(f);
        for (std::size_t m = 0; m < M; ++m) {
            const std::size_t at = m * tile.width + v * w;
            VF r = hn::Sub(hn::Load(f, tile.y + at), hn::Load(f, dense.product + at));
            if (job.view.gaps) r = hn::Mul(r, hn::Load(f, tile.seen + at));
            sum = hn::MulAdd(r, r, sum);
        }
        residual = hn::Add(residual, hn::IfThenElseZero(used, sum));
        for (std::size_t n = 0; n < N; ++n)
            hn::Store(hn::IfThenElseZero(used, hn::Load(f, dense.right + n * tile.width + v * w)), f,
                      job.x + n * block_size + first + v * w);
    }
    return hn::GetLane(hn::SumOfLanes(f, residual));
}

/// v = (b + x^2/2) / E with E exponential (a = 1/2), its part of the log density, and each signal's density.
HWY_NOINLINE void draw_variances(const GibbsTileJob& job, std::size_t first, GibbsSums& sums) {
    const F f;
    const std::size_t w = lanes();
    const std::size_t N = job.tables->N;
    const VF half = hn::Set(f, 0.5), b = hn::Set(f, job.sweep->code_prior.rate), one = hn::Set(f, 1.0);
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const std::size_t at = first + v * w;
        if (at >= job.view.count) return;
        const LanePhilox philox(job.sweep->seed, Purpose::code_precision, job.sweep->sweep, job.sweep->chain,
                                lane_signals(job, at));
        VF log_sum = hn::Zero(f), penalty = hn::Zero(f), density = hn::Zero(f), product = one;
        const auto entry = [&](std::size_t n, VU word) {
            const VF x = hn::Load(f, job.x + n * block_size + at);
            const VF x_sq = hn::Mul(x, x);
            const VF exponential = lane_exponential(word);
            const VF var = hn::Div(hn::MulAdd(half, x_sq, b), exponential);
            hn::Store(var, f, job.view.code_var + n * block_size + at);
            penalty = hn::Add(penalty, exponential);
            product = hn::Mul(product, var);  // one logarithm for four variances
            if (n % 4 == 3 || n + 1 == N) {
                log_sum = hn::Add(log_sum, hn::Log(f, product));
                product = one;
            }
            const double scale = job.sweep->noise_precision * job.tables->atom_norm_sq[n] / 9.0;
            density = hn::Add(density, hn::Min(one, hn::Mul(x_sq, hn::Set(f, scale))));
        };
        for (std::size_t n = 0; n < N; n += 2) {
            VU even, odd;
            philox.words(static_cast<std::uint32_t>(n / 2), even, odd);
            entry(n, even);
            if (n + 1 < N) entry(n + 1, odd);
        }
        const auto used = used_lanes(job, at);
        sums.objective.log_code_precision -= hn::GetLane(hn::SumOfLanes(f, hn::IfThenElseZero(used, log_sum)));
        sums.objective.code_penalty += hn::GetLane(hn::SumOfLanes(f, hn::IfThenElseZero(used, penalty)));
        store_density(job, at, density);
    }
}

GibbsSums gibbs_tiles(const GibbsTileJob& job) {
    const GibbsTile tile(*job.tables, ScratchCarver(job.scratch));
    GibbsSums sums;
    const auto load = [&](std::size_t first) {
        load_tile(job, first, tile);
        draw_normals(job, first, tile);
    };
    for (std::size_t first = 0; first < job.view.count; first += tile.width) {
        load(first);
        const bool sparse = job.sparse && draw_sparse(job, first, tile, sums);
        if (!sparse) {
            if (job.sparse) load(first);  // the failed attempt has overwritten it
            sums.residual_sq += job.tables->wide ? draw_wide(job, first, tile) : draw_tall(job, first, tile);
            sums.paths.dense_tiles += 1;
            sums.paths.given_up += job.sparse ? 1 : 0;
        }
        if (exponential_code_precision(job.sweep->code_prior)) draw_variances(job, first, sums);
    }
    return sums;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(add_split_products);
HWY_EXPORT(block_activity);
HWY_EXPORT(gibbs_scratch);
HWY_EXPORT(gibbs_tiles);
HWY_EXPORT(split_scratch);

namespace {

/// For shapes other than a = 1/2 the Gamma draws use rejection, which does not suit lanes.
void draw_variances_one_by_one(const GibbsTileJob& job, GibbsSums& sums) {
    const GibbsSweep& sweep = *job.sweep;
    for (std::size_t l = 0; l < job.view.count; ++l) {
        const std::uint64_t signal = job.view.first_signal + job.order[l];
        double density = 0.0;
        for (std::size_t n = 0; n < job.tables->N; ++n) {
            const double x = job.x[n * block_size + l];
            const double rate = sweep.code_prior.rate + 0.5 * x * x;
            const double draw = code_precision_draw(sweep, signal, static_cast<std::uint32_t>(n));
            job.view.code_var[n * block_size + l] = rate / draw;
            sums.objective.log_code_precision += std::log(draw / rate);
            sums.objective.code_penalty += draw;
            density += density_term(x * x, job.tables->atom_norm_sq[n], sweep.noise_precision);
        }
        job.view.density[l] = density;
    }
}

/// Beyond this ratio of a code's prior variance to the noise, the I of S = I + ... would be lost to rounding. Where the
/// data determine the code, such a prior is flat to thirteen digits; in other directions this limits the width of the
/// draw.
constexpr double most_signal_to_noise = 1e13;

class GibbsCpu final : public GibbsKernel {
public:
    GibbsCpu(GibbsPath path, GibbsPathCounts* counts) : path_(path), counts_(counts) {}

    void begin_sweep(const GibbsSweep& sweep) override {
        const bool same_noise = sweep.same_dictionary && sweep.noise_precision == sweep_.noise_precision;
        sweep_ = sweep;
        if (!sweep.same_dictionary) pack_dictionary();
        if (!same_noise) pack_noise();
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        LaneOrder order = plain_order();
        const bool sparse = choose_sparse(view, order);
        const std::size_t M = tables_.M, N = tables_.N;
        double* const memory = workspace.doubles(N * block_size + sorted_doubles(M, N) + scratch_);
        double* const after = memory + N * block_size;
        double* const x = sparse || view.codes == nullptr ? memory : view.codes;
        const BlockView lanes = sparse ? sort_block(view, order, M, N, after) : view;
        const GibbsTileJob job{&tables_, &sweep_, lanes, order.signal, x, after + sorted_doubles(M, N), sparse};
        GibbsSums sums = HWY_DYNAMIC_DISPATCH(gibbs_tiles)(job);
        if (!exponential_code_precision(sweep_.code_prior)) draw_variances_one_by_one(job, sums);
        sums.add_to(stats);
        const bool split = sparse && sweep_.statistics &&
                           HWY_DYNAMIC_DISPATCH(add_split_products)(tables_.sparse, std::sqrt(sweep_.noise_precision),
                                                                    lanes.signals, x, lanes.count, job.scratch, stats);
        sums.paths.split += split ? 1 : 0;
        if (view.gaps && sweep_.statistics)
            add_completed_products(view, x, stats);
        else if (!split && sweep_.statistics)
            add_code_products(lanes.signals, x, lanes.count, stats);
        if (sparse) put_back(lanes, x, order, N, view);
        if (counts_ != nullptr) counts_->add(sums.paths);
    }

private:
    /// The statistics of a block with gaps.
    void add_completed_products(const BlockView& view, const double* x, SufficientStats& stats) const {
        using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const Lanes> all(x, static_cast<Eigen::Index>(tables_.N), block_size);
        const Mat codes = all.leftCols(static_cast<Eigen::Index>(view.count));
        const CompletedSignals completed = complete_signals(view, sweep_, codes);
        add_code_products(completed.signals.data(), x, view.count, stats);
        stats.gap_xt += completed.noise * codes.transpose();
    }

    void pack_dictionary() {
        tables_.set_dictionary(*sweep_.dictionary, 1);
        tables_.wide = tables_.M < tables_.N;
        if (tables_.wide) fill_sparse_tables(*sweep_.dictionary, tables_.sparse);
        tables_.transposed = tables_.wide ? Mat() : Mat(sweep_.dictionary->transpose());
        scratch_ = HWY_DYNAMIC_DISPATCH(gibbs_scratch)(tables_);
        if (tables_.wide && path_ != GibbsPath::dense)
            scratch_ = std::max(scratch_, HWY_DYNAMIC_DISPATCH(split_scratch)(tables_.M, tables_.N));
    }

    /// What depends on the noise as well.
    void pack_noise() {
        const Mat& D = *sweep_.dictionary;
        const double gamma = sweep_.noise_precision;
        if (tables_.wide) {
            tables_.products.begin(D, gamma);
            set_noise(gamma, tables_.sparse);
        } else {
            pack_lower(gamma * D.transpose() * D, tables_.gram);
            tables_.gram_of_seen.begin(tables_.transposed, gamma);
        }
        tables_.most_var.clear();
        for (const double norm_sq : tables_.atom_norm_sq)
            tables_.most_var.push_back(most_signal_to_noise / (gamma * norm_sq));
    }

    /// Whether the block takes the sparse path, and then in which order.
    bool choose_sparse(const BlockView& view, LaneOrder& order) const {
        if (!tables_.wide || view.gaps || path_ == GibbsPath::dense) return false;
        const BlockActivity activity = HWY_DYNAMIC_DISPATCH(block_activity)(tables_, view);
        const LaneOrder sorted = order_by_activity(view, activity);
        if (path_ == GibbsPath::cheaper && !sparse_pays(tables_, view, activity, sorted)) return false;
        order = sorted;
        return true;
    }

    GibbsPath path_;
    GibbsPathCounts* counts_;
    GibbsSweep sweep_;
    GibbsTables tables_;
    std::size_t scratch_ = 0;
};

}  // namespace

std::unique_ptr<GibbsKernel> make_gibbs_cpu(GibbsPath path, GibbsPathCounts* counts) {
    return std::make_unique<GibbsCpu>(path, counts);
}

}  // namespace sbdl
#endif
