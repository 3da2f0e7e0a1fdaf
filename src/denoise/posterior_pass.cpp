// With S the atoms of the pilot's code and a its coefficients, the model of a noisy patch z is z = D_S x + w with
// x_k ~ N(0, a_k^2). Written with x = diag(a) u, so that small coefficients do no harm:
//
//     Q = diag(a) D_S^T D_S diag(a) + sigma^2 I
//     mean of x = diag(a) Q^-1 diag(a) D_S^T z,   covariance of x = sigma^2 diag(a) Q^-1 diag(a)
//
// The patch keeps tr(Q^-1 diag(a) D_S^T D_S diag(a)) = |S| - sigma^2 tr Q^-1 degrees of freedom of its noise.
#include <algorithm>
#include <numeric>

#include "base/linalg.hpp"
#include "denoise/pass_frame.hpp"

namespace sbdl {
namespace {

constexpr double mean_freedom = 0.5;  // degrees of freedom at which a patch's own mean counts for a half

class PosteriorEstimator {
public:
    PosteriorEstimator(const PassSetting& setting, double tolerance)
        : setting_(setting),
          noise_(setting.sigma * setting.sigma),
          max_error2_(tolerance * tolerance * noise_ * static_cast<double>(setting.omp.dim())),
          scratch_(setting.omp) {}

    void operator()(std::span<const double> pilot, std::span<const double> correlations, std::span<const double> noisy,
                    PatchEstimate& out) {
        const double norm2 = std::inner_product(pilot.begin(), pilot.end(), pilot.begin(), 0.0);
        const BatchOmp::Code code = setting_.omp.code(correlations, norm2, max_error2_, scratch_);
        const auto dim = static_cast<Eigen::Index>(setting_.omp.dim());
        const auto count = static_cast<Eigen::Index>(code.atoms.size());
        out.atoms = code.atoms.size();
        scaled_.resize(dim, count);  // D_S diag(a)
        for (Eigen::Index k = 0; k < count; ++k)
            scaled_.col(k) =
                code.values[static_cast<std::size_t>(k)] *
                Eigen::Map<const Vec>(setting_.dictionary.row(code.atoms[static_cast<std::size_t>(k)]).data(), dim);
        Q_.noalias() = scaled_.transpose() * scaled_;
        Q_.diagonal().array() += noise_;
        factor_.compute(Q_);
        // R = L^-1 (D_S diag(a))^T: then the filter is R^T R, and all that is asked follows from R.
        R_ = scaled_.transpose();
        factor_.matrixL().solveInPlace(R_);
        Eigen::Map<Vec> pixels(out.pixels.data(), dim);
        pixels.noalias() = R_.transpose() * (R_ * Eigen::Map<const Vec>(noisy.data(), dim));
        const double freedom = R_.squaredNorm();
        out.weight = 1.0 / (1.0 + freedom);
        // Where little happens the first estimate, averaged over many patches, knows the level better than one noisy
        // patch does; where much happens it may have been smoothed away.
        out.own_mean = freedom / (freedom + mean_freedom);
        if (!setting_.with_deviation) return;
        for (Eigen::Index i = 0; i < dim; ++i)
            out.variances[static_cast<std::size_t>(i)] =
                noise_ * (R_.col(i).squaredNorm() + 1.0 / static_cast<double>(dim));
    }

private:
    const PassSetting& setting_;
    double noise_;
    double max_error2_;
    BatchOmp::Scratch scratch_;
    Mat scaled_, Q_, R_;
    Eigen::LLT<Mat> factor_;
};

}  // namespace

PassResult posterior_pass(const Matrix& noisy, const Matrix& pilot, double tolerance, const PassSetting& setting) {
    return run_pass(noisy, pilot, setting, [&] { return PosteriorEstimator(setting, tolerance); });
}

}  // namespace sbdl
