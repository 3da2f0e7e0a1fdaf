// With S the atoms of the pilot's code and a its coefficients, the model of a noisy patch z is z = D_S x + w with
// x_k ~ N(0, a_k^2). It is written with x = diag(a) u, so that small coefficients do no harm:
//
//     Q = diag(a) D_S^T D_S diag(a) + sigma^2 I
//     mean of x = diag(a) Q^-1 diag(a) D_S^T z,   covariance of x = sigma^2 diag(a) Q^-1 diag(a)
//
// The patch keeps tr(Q^-1 diag(a) D_S^T D_S diag(a)) = |S| - sigma^2 tr Q^-1 degrees of freedom of its noise.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/linalg.hpp"
#include "base/small_system.hpp"
#include "denoise/pass_frame.hpp"

namespace sbdl {
namespace {

constexpr double mean_freedom = 0.5;  // degrees of freedom at which a patch's own mean has a share of a half

class PosteriorEstimator {
public:
    explicit PosteriorEstimator(const PassSetting& setting)
        : setting_(setting), noise_(setting.sigma * setting.sigma) {}

    void operator()(const BatchOmp::Code& code, std::span<const double> noisy, PatchEstimate& out) {
        const std::size_t count = code.atoms.size();
        system_.resize(count);
        mean_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            mean_[i] = code.values[i] * atom(code.atoms[i]).dot(as_vector(noisy));
            for (std::size_t k = 0; k <= i; ++k)
                system_.at(i, k) =
                    code.values[i] * code.values[k] * setting_.omp.atom_product(code.atoms[i], code.atoms[k]);
            system_.at(i, i) += noise_;
        }
        system_.factor(noise_);  // no pivot is smaller, except by rounding
        system_.solve(mean_.data());

        Eigen::Map<Vec> pixels(out.pixels.data(), static_cast<Eigen::Index>(out.pixels.size()));
        pixels.setZero();
        for (std::size_t i = 0; i < count; ++i) pixels += code.values[i] * mean_[i] * atom(code.atoms[i]);
        const double most = static_cast<double>(count);
        const double freedom = std::clamp(most - noise_ * system_.inverse_trace(column_), 0.0, most);
        out.weight = 1.0 / (1.0 + freedom);
        // In a quiet patch the mean of the first estimate, which averages many patches, is better than that of one
        // noisy patch; in a patch with much detail the first estimate may be too smooth.
        out.own_mean = freedom / (freedom + mean_freedom);
        if (setting_.with_std) add_variances(code, out);
    }

private:
    static Eigen::Map<const Vec> as_vector(std::span<const double> values) {
        return {values.data(), static_cast<Eigen::Index>(values.size())};
    }
    [[nodiscard]] Eigen::Map<const Vec> atom(std::size_t n) const { return as_vector(setting_.dictionary.row(n)); }

    // For pixel m: sigma^2 v^T Q^-1 v with v = diag(a) times row m of D_S, plus sigma^2 / dim for the mean.
    void add_variances(const BatchOmp::Code& code, PatchEstimate& out) {
        const double dim = static_cast<double>(setting_.omp.dim());
        for (std::size_t m = 0; m < out.variances.size(); ++m) {
            for (std::size_t k = 0; k < mean_.size(); ++k)
                mean_[k] = code.values[k] * setting_.dictionary(code.atoms[k], m);
            system_.forward(mean_.data(), 0);
            const double kept = std::inner_product(mean_.begin(), mean_.end(), mean_.begin(), 0.0);
            out.variances[m] = noise_ * (kept + 1.0 / dim);
        }
    }

    const PassSetting& setting_;
    double noise_;
    SmallSystem system_;
    std::vector<double> mean_;    // of u
    std::vector<double> column_;  // scratch
};

}  // namespace

PassResult posterior_pass(const Matrix& noisy, const Matrix& pilot, double tolerance, const PassSetting& setting) {
    return run_pass(noisy, pilot, patch_error2(tolerance, setting), setting,
                    [&] { return PosteriorEstimator(setting); });
}

}  // namespace sbdl
