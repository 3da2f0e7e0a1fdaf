// The reference of every test: codes as the paper writes them, one signal at a time, in plain matrix algebra that reads
// like docs/math.md. Speed does not matter.
#include <cmath>

#include "kernels/code_precision_draw.hpp"
#include "kernels/kernel_set.hpp"
#include "kernels/missing_entries.hpp"
#include "random/stream.hpp"

namespace sbdl {

namespace {

/// One signal of a block.
struct SignalView {
    SignalView(const BlockView& view, std::size_t l, const Mat& D)
        : number(view.first_signal + l),
          y(view.signals + l * static_cast<std::size_t>(D.rows()), D.rows()),
          code_var(view.code_var + l, D.cols(), Eigen::InnerStride<>(block_size)) {}
    std::uint64_t number;
    Eigen::Map<const Vec> y;
    Eigen::Map<Vec, 0, Eigen::InnerStride<>> code_var;
};

double code_density(const Vec& code_sq, const Mat& D, double gamma) {
    double density = 0.0;
    for (Eigen::Index n = 0; n < D.cols(); ++n) density += density_term(code_sq[n], D.col(n).squaredNorm(), gamma);
    return density;
}

/// Stores one signal's values in the block, if the block has room for them.
void store_codes(const Vec& values, std::size_t l, double* to) {
    if (to == nullptr) return;
    for (const double value : values) {
        to[l] = value;
        to += block_size;
    }
}

/// Gibbs codes (G1 and G2):
///
///     p(x | -) = N(mu, Sigma),  Sigma = (gamma D^T D + Lambda)^{-1},  mu = gamma Sigma D^T y     Lambda = diag(alpha)
///     p(alpha_n | -) = Gamma(a + 1/2, b + x_n^2 / 2)
///
/// The draw perturbs and solves, so that every kernel produces the same x from the same normals n (N of them) and e
/// (M):
///
///     (gamma D^T D + Lambda) x = gamma D^T y + Lambda^{1/2} n - sqrt(gamma) D^T e
///
/// The right-hand side has mean gamma D^T y and covariance gamma D^T D + Lambda, as it must. Where entries of y are
/// missing, y and D are those of the observed entries (K1): the others are set to zero, and so are these rows of D.
class GibbsReference final : public GibbsKernel {
public:
    void begin_sweep(const GibbsSweep& sweep) override {
        sweep_ = sweep;
        gram_ = sweep.noise_precision * sweep.dictionary->transpose() * *sweep.dictionary;
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace&) const override {
        const double gamma = sweep_.noise_precision;
        const double b = sweep_.code_prior.rate;
        Mat X(sweep_.dictionary->cols(), static_cast<Eigen::Index>(view.count));
        for (std::size_t l = 0; l < view.count; ++l) {
            SignalView signal(view, l, *sweep_.dictionary);
            const Vec seen = signal.y.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : 1.0; });
            const Vec y = signal.y.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
            const Mat D = view.gaps ? Mat(seen.asDiagonal() * *sweep_.dictionary) : *sweep_.dictionary;
            DrawStream normals(sweep_.seed, {Purpose::code, sweep_.sweep, sweep_.chain, signal.number});
            const Vec n = Vec::NullaryExpr(D.cols(), [&] { return normals.normal(); });
            const Vec e = Vec::NullaryExpr(D.rows(), [&] { return normals.normal(); });

            const Vec alpha = signal.code_var.cwiseInverse();
            Mat precision = view.gaps ? Mat(gamma * D.transpose() * D) : gram_;
            precision.diagonal() += alpha;
            const Vec right = gamma * (D.transpose() * y) + alpha.cwiseSqrt().cwiseProduct(n) -
                              std::sqrt(gamma) * (D.transpose() * e);
            const Vec x = precision.llt().solve(right);

            X.col(static_cast<Eigen::Index>(l)) = x;
            if (!view.gaps) stats.y_xt += y * x.transpose();
            stats.x_xt.selfadjointView<Eigen::Lower>().rankUpdate(x);
            stats.residual_sq += (y - D * x).squaredNorm();
            view.density[l] = code_density(x.cwiseAbs2(), *sweep_.dictionary, gamma);
            store_codes(x, l, view.codes);
            for (Eigen::Index i = 0; i < D.cols(); ++i) {
                const double rate = b + 0.5 * x[i] * x[i];
                const double alpha_draw =
                    code_precision_draw(sweep_, signal.number, static_cast<std::uint32_t>(i)) / rate;
                signal.code_var[i] = 1.0 / alpha_draw;
                stats.objective.log_code_precision += std::log(alpha_draw);
                stats.objective.code_penalty += alpha_draw * rate;
            }
        }
        if (!view.gaps || !sweep_.statistics) return;
        const CompletedSignals completed = complete_signals(view, sweep_, X);
        stats.y_xt += completed.signals * X.transpose();
        stats.gap_xt += completed.noise * X.transpose();
    }

private:
    GibbsSweep sweep_;
    Mat gram_;  // gamma D^T D
};

/// VB codes (V1 to V3):
///
///     Sigma = (<gamma> <D^T D> + <Lambda>)^{-1},  mu = <gamma> Sigma <D>^T y                              (V1)
///     q(alpha_n) = Gamma(a + 1/2, b~_n),  b~_n = b + <x_n^2> / 2,  <x_n^2> = mu_n^2 + Sigma_nn            (V2)
///     <||y - Dx||^2> = ||y - <D> mu||^2 + tr(<D^T D> Sigma) + mu^T (<D^T D> - <D>^T<D>) mu                (V3)
///
/// Other kernels get tr(<D^T D> Sigma) from <gamma> tr(<D^T D> Sigma) + tr(<Lambda> Sigma) = N; here it is computed
/// directly. Where entries of y are missing, all of these are sums over the entries that are observed (K5): the others
/// are set to zero, and so are these rows of <D> and of the variances.
class VbReference final : public VbKernel {
public:
    void begin_sweep(const VbSweep& sweep) override {
        sweep_ = sweep;
        if (sweep.unchanged) return;
        const Mat& D = *sweep.dictionary;
        const double M = static_cast<double>(D.rows());
        spread_ = Mat::Zero(D.cols(), D.cols());
        if (sweep.atom_var != nullptr) spread_.diagonal() = M * *sweep.atom_var;
        if (sweep.row_cov != nullptr) spread_ += M * *sweep.row_cov;
        gram_ = D.transpose() * D + spread_;
    }

    void block(const BlockView& view, SufficientStats& stats, Workspace&) const override {
        const Eigen::Index N = sweep_.dictionary->cols();
        const double gamma = sweep_.noise_precision;
        const auto [a, b] = sweep_.code_prior;
        for (std::size_t l = 0; l < view.count; ++l) {
            SignalView signal(view, l, *sweep_.dictionary);
            const Vec seen = signal.y.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : 1.0; });
            const Vec y = signal.y.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
            const bool whole = !view.gaps && sweep_.entry_var == nullptr;
            const Mat D = whole ? *sweep_.dictionary : Mat(seen.asDiagonal() * *sweep_.dictionary);
            const Mat spread = whole ? spread_ : spread_of(seen);
            const Mat gram = whole ? gram_ : Mat(D.transpose() * D + spread);
            Mat precision = gamma * gram;
            precision.diagonal() += signal.code_var.cwiseInverse();
            const Eigen::LLT<Mat> chol(precision);
            const Mat Sigma = chol.solve(Mat::Identity(N, N));
            const Vec mu = gamma * (Sigma * (D.transpose() * y));
            const Vec second_moment = mu.cwiseAbs2() + Sigma.diagonal();

            stats.y_xt += y * mu.transpose();
            stats.x_xt.selfadjointView<Eigen::Lower>().rankUpdate(mu);
            stats.x_xt.triangularView<Eigen::Lower>() += Sigma;
            stats.residual_sq += (y - D * mu).squaredNorm() + gram.cwiseProduct(Sigma).sum() + mu.dot(spread * mu);
            if (stats.seen_xt.size() > 0) {
                const Mat moment = mu * mu.transpose() + Sigma;
                for (Eigen::Index m = 0; m < D.rows(); ++m)
                    if (seen[m] > 0.0) stats.seen_xt.col(m) += moment.reshaped();
            }
            stats.objective.log_det_cov -= 2.0 * chol.matrixLLT().diagonal().array().log().sum();
            view.density[l] = code_density(second_moment, *sweep_.dictionary, gamma);
            store_codes(mu, l, view.codes);
            store_codes(Sigma.diagonal(), l, view.codes_var);
            for (Eigen::Index n = 0; n < N; ++n) {
                const double rate = b + 0.5 * second_moment[n];
                stats.objective.log_code_rate += std::log(rate);
                signal.code_var[n] = rate / (a + 0.5);
            }
        }
    }

private:
    /// Of the observed entries: a sum over them of the variances of a row of D.
    [[nodiscard]] Mat spread_of(const Vec& seen) const {
        if (sweep_.entry_var == nullptr) return seen.mean() * spread_;
        const Vec sum = sweep_.entry_var->transpose() * seen;
        return sum.asDiagonal();
    }

    VbSweep sweep_;
    Mat spread_;  // <D^T D> - <D>^T <D>
    Mat gram_;    // <D^T D>
};

class ReferenceKernels final : public KernelSet {
public:
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return std::make_unique<GibbsReference>(); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return std::make_unique<VbReference>(); }
};

}  // namespace

const KernelSet& reference_kernels() {
    static const ReferenceKernels set;
    return set;
}

}  // namespace sbdl
