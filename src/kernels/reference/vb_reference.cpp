// VB codes as the paper writes them, one signal at a time (docs/math.md, V1 to V3):
//
//     Sigma = (<gamma> <D^T D> + <Lambda>)^{-1},  mu = <gamma> Sigma <D>^T y                              (V1)
//     q(alpha_n) = Gamma(a + 1/2, b~_n),  b~_n = b + <x_n^2> / 2,  <x_n^2> = mu_n^2 + Sigma_nn            (V2)
//     <||y - Dx||^2> = ||y - <D> mu||^2 + tr(<D^T D> Sigma) + mu^T (<D^T D> - <D>^T<D>) mu                (V3)
//
// Other kernels get tr(<D^T D> Sigma) from <gamma> tr(<D^T D> Sigma) + tr(<Lambda> Sigma) = N; here it is computed
// directly.
#include <cmath>

#include "kernels/kernel_set.hpp"
#include "kernels/reference/reference_kernels.hpp"

namespace sbdl {

namespace {

class VbReference final : public VbKernel {
public:
    void begin_sweep(const VbSweep& sweep) override {
        sweep_ = sweep;
        const Mat& D = *sweep.dictionary;
        const double M = static_cast<double>(D.rows());
        spread_ = Mat::Zero(D.cols(), D.cols());
        if (sweep.atom_var != nullptr) spread_.diagonal() = M * *sweep.atom_var;
        if (sweep.row_cov != nullptr) spread_ += M * *sweep.row_cov;
        gram_ = D.transpose() * D + spread_;
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
        const auto y = signal_of(view, l, M);
        auto code_var = code_var_of(view, l, N);

        Mat precision = gamma * gram_;
        precision.diagonal() += code_var.cwiseInverse();
        const Eigen::LLT<Mat> chol(precision);
        const Mat Sigma = chol.solve(Mat::Identity(N, N));
        const Vec mu = gamma * (Sigma * (D.transpose() * y));
        const Vec second_moment = mu.cwiseAbs2() + Sigma.diagonal();

        stats.y_xt += y * mu.transpose();
        stats.x_xt.selfadjointView<Eigen::Lower>().rankUpdate(mu);
        stats.x_xt.triangularView<Eigen::Lower>() += Sigma;
        stats.residual_sq += (y - D * mu).squaredNorm() + gram_.cwiseProduct(Sigma).sum() + mu.dot(spread_ * mu);
        stats.objective.log_det_cov -= 2.0 * chol.matrixLLT().diagonal().array().log().sum();
        view.density[l] = code_density(second_moment, D, gamma);
        for (Eigen::Index n = 0; n < N; ++n) {
            const double rate = b + 0.5 * second_moment[n];
            stats.objective.log_code_rate += std::log(rate);
            code_var[n] = rate / (a + 0.5);
            const std::size_t at = static_cast<std::size_t>(n) * block_size + l;
            if (view.codes != nullptr) view.codes[at] = mu[n];
            if (view.codes_var != nullptr) view.codes_var[at] = Sigma(n, n);
        }
    }

    VbSweep sweep_;
    Mat spread_;  // <D^T D> - <D>^T <D>
    Mat gram_;    // <D^T D>
};

class ReferenceKernels final : public KernelSet {
public:
    [[nodiscard]] std::string_view name() const override { return "reference"; }
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return make_gibbs_reference(); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return make_vb_reference(); }
};

}  // namespace

std::unique_ptr<VbKernel> make_vb_reference() {
    return std::make_unique<VbReference>();
}

const KernelSet& reference_kernels() {
    static const ReferenceKernels set;
    return set;
}

}  // namespace sbdl
