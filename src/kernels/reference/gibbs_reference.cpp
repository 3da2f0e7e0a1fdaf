// Gibbs codes as the paper writes them, one signal at a time (docs/math.md, G1 and G2):
//
//     p(x | -) = N(mu, Sigma),  Sigma = (gamma D^T D + Lambda)^{-1},  mu = gamma Sigma D^T y       Lambda = diag(alpha)
//     p(alpha_n | -) = Gamma(a + 1/2, b + x_n^2 / 2)
//
// The draw perturbs and solves, so that every kernel makes the same x from the same normals n (N of them) and e (M):
//
//     (gamma D^T D + Lambda) x = gamma D^T y + Lambda^{1/2} n - sqrt(gamma) D^T e
//
// The right-hand side has mean gamma D^T y and covariance gamma D^T D + Lambda, as it must.
#include <cmath>

#include "kernels/kernel_set.hpp"
#include "kernels/reference/reference_kernels.hpp"
#include "random/stream.hpp"

namespace sbdl {

namespace {

class GibbsReference final : public GibbsKernel {
public:
    void begin_sweep(const GibbsSweep& sweep) override {
        sweep_ = sweep;
        gram_ = sweep.noise_precision * sweep.dictionary->transpose() * *sweep.dictionary;
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace&) const override {
        for (std::size_t l = 0; l < view.count; ++l) one_signal(view, l, stats);
    }

private:
    void one_signal(const BlockView& view, std::size_t l, SufficientStats& stats) const {
        const Mat& D = *sweep_.dictionary;
        const Eigen::Index M = D.rows();
        const Eigen::Index N = D.cols();
        const double gamma = sweep_.noise_precision;
        const auto [a, b] = sweep_.code_prior;
        const std::uint64_t signal = view.first_signal + l;
        const auto y = signal_of(view, l, M);
        auto code_var = code_var_of(view, l, N);

        DrawStream normals(sweep_.seed, {Purpose::code, sweep_.sweep, sweep_.chain, signal});
        const Vec n = Vec::NullaryExpr(N, [&] { return normals.normal(); });
        const Vec e = Vec::NullaryExpr(M, [&] { return normals.normal(); });

        const Vec alpha = code_var.cwiseInverse();
        Mat precision = gram_;
        precision.diagonal() += alpha;
        const Vec right =
            gamma * (D.transpose() * y) + alpha.cwiseSqrt().cwiseProduct(n) - std::sqrt(gamma) * (D.transpose() * e);
        const Vec x = precision.llt().solve(right);

        stats.y_xt += y * x.transpose();
        stats.x_xt.selfadjointView<Eigen::Lower>().rankUpdate(x);
        stats.residual_sq += (y - D * x).squaredNorm();
        view.density[l] = code_density(x.cwiseAbs2(), D, gamma);
        for (Eigen::Index i = 0; i < N; ++i) {
            const double rate = b + 0.5 * x[i] * x[i];
            const double alpha_draw = code_precision_draw(sweep_, signal, static_cast<std::uint32_t>(i)) / rate;
            code_var[i] = 1.0 / alpha_draw;
            stats.objective.log_code_precision += std::log(alpha_draw);
            stats.objective.code_penalty += alpha_draw * rate;
            if (view.codes != nullptr) view.codes[static_cast<std::size_t>(i) * block_size + l] = x[i];
        }
    }

    GibbsSweep sweep_;
    Mat gram_;  // gamma D^T D
};

}  // namespace

std::unique_ptr<GibbsKernel> make_gibbs_reference() {
    return std::make_unique<GibbsReference>();
}

}  // namespace sbdl
