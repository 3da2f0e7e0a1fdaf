// With K = C + s I, s the variance of the noise, o the observed entries and m the missing ones, e = y - mean:
//
//     posterior mean     mean + C_.o K_oo^-1 e_o
//     its variance       C_ii - C_io K_oo^-1 C_oi
//
// If most entries are observed the same follows from P = K^-1, which is one for all patches of a group. The missing
// entries are e_m = -P_mm^-1 P_mo e_o, with variance diag P_mm^-1 - s; then h = P e is K_oo^-1 e_o at the observed
// ones, which become y - s h, with variance s - s^2 diag (P_oo - P_om P_mm^-1 P_mo).
#include "inpaint/gappy_gaussian.hpp"

#include <algorithm>

#include "base/products.hpp"

namespace sbdl {

void GappyGaussian::assign(const Vec& mean, const Mat& covariance, double noise_variance) {
    mean_ = mean;
    covariance_ = covariance;
    noise_ = noise_variance;
    inverted_ = false;
}

void GappyGaussian::estimate(std::span<const std::uint8_t> observed, Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance) {
    seen_.clear();
    gaps_.clear();
    for (std::size_t i = 0; i < observed.size(); ++i)
        (observed[i] != 0 ? seen_ : gaps_).push_back(static_cast<Eigen::Index>(i));
    if (seen_.size() <= gaps_.size())
        given_few(patch, variance);
    else
        given_most(patch, variance);
    variance = variance.cwiseMax(0.0);
}

void GappyGaussian::given_few(Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance) {
    const auto count = static_cast<Eigen::Index>(seen_.size());
    variance = covariance_.diagonal();
    if (count == 0) {
        patch = mean_;
        return;
    }
    off_ = patch(seen_) - mean_(seen_);
    across_ = covariance_(seen_, Eigen::all);
    factor_ = across_(Eigen::all, seen_);
    factor_.diagonal().array() += noise_;
    const Eigen::LLT<Eigen::Ref<Mat>> cholesky(factor_);
    solve_lower(factor_, across_);
    cholesky.matrixL().solveInPlace(off_);
    patch = mean_ + across_.transpose() * off_;
    variance -= across_.colwise().squaredNorm().transpose();
}

void GappyGaussian::invert() {
    const Eigen::Index dim = covariance_.rows();
    factor_ = covariance_;
    factor_.diagonal().array() += noise_;
    const Eigen::LLT<Eigen::Ref<Mat>> cholesky(factor_);
    across_ = Mat::Identity(dim, dim);
    solve_lower(factor_, across_);
    precision_.resize(dim, dim);
    multiply_transposed(across_, across_, precision_);
    inverted_ = true;
}

void GappyGaussian::given_most(Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance) {
    if (!inverted_) invert();
    off_ = patch - mean_;
    off_(gaps_).setZero();
    across_ = precision_(gaps_, Eigen::all);
    if (!gaps_.empty()) {
        factor_ = across_(Eigen::all, gaps_);
        const Eigen::LLT<Eigen::Ref<Mat>> cholesky(factor_);
        solved_ = across_ * off_;
        cholesky.solveInPlace(solved_);
        off_(gaps_) = -solved_;
        solve_lower(factor_, across_);
    }
    solved_.resize(off_.size());
    multiply_transposed(precision_, off_, solved_);
    patch = mean_ + off_ - noise_ * solved_;
    const Vec explained = across_.colwise().squaredNorm().transpose();
    for (const Eigen::Index i : seen_) variance[i] = noise_ - noise_ * noise_ * (precision_(i, i) - explained[i]);
    // The inverse of P_mm, from its factor.
    inverse_ = Mat::Identity(across_.rows(), across_.rows());
    solve_lower(factor_, inverse_);
    for (std::size_t k = 0; k < gaps_.size(); ++k)
        variance[gaps_[k]] = inverse_.col(static_cast<Eigen::Index>(k)).squaredNorm() - noise_;
}

}  // namespace sbdl
