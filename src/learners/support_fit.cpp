#include "learners/support_fit.hpp"

#include <algorithm>

namespace sbdl {
namespace {

/// Added to a system, of atoms at unit norm, that has no Cholesky factor; ten times as much each time until it has one.
constexpr double least_ridge = 1e-12;

}  // namespace

void SupportFit::solve(std::span<const std::uint32_t> atoms, const double* correlations, double ridge,
                       std::span<double> values) {
    const auto count = static_cast<Eigen::Index>(atoms.size());
    if (count == 0) return;
    right_.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) right_[i] = correlations[atoms[static_cast<std::size_t>(i)]];
    for (double added = ridge;; added = std::max(10.0 * added, least_ridge)) {
        system_.resize(count, count);
        for (Eigen::Index i = 0; i < count; ++i) {
            const auto column = gram_.col(atoms[static_cast<std::size_t>(i)]);
            for (Eigen::Index j = i; j < count; ++j) system_(j, i) = column[atoms[static_cast<std::size_t>(j)]];
            system_(i, i) += added;
        }
        const Eigen::LLT<Eigen::Ref<Mat>> factor(system_);
        if (factor.info() != Eigen::Success && added < 1.0) continue;
        break;
    }
    for (Eigen::Index i = 0; i < count; ++i) {  // the factor stands in the lower triangle
        right_[i] /= system_(i, i);
        for (Eigen::Index j = i + 1; j < count; ++j) right_[j] -= system_(j, i) * right_[i];
    }
    for (Eigen::Index i = count; i-- > 0;) {
        for (Eigen::Index j = i + 1; j < count; ++j) right_[i] -= system_(j, i) * right_[j];
        right_[i] /= system_(i, i);
    }
    std::copy_n(right_.data(), atoms.size(), values.begin());
}

}  // namespace sbdl
