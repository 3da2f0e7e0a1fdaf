// The estimate of a group of similar patches (math.md, P12).
#pragma once

#include "base/aligned.hpp"
#include "base/linalg.hpp"

namespace sbdl {

/// With m the mean patch of a group, Z the patches without it (one a column) and n their noise variance, the estimate
/// is
///
///     m + F Z,   F = B^2 (B^2 + I)^-1,   B = Z Z^T / c,   c = strictness n (sqrt(dim) + sqrt(count))^2
///
/// F has the principal directions of the group. It keeps those in which the patches vary by much more than c and
/// removes the others: (sqrt(dim) + sqrt(count))^2 n is the largest value that noise alone gives. It is the posterior
/// mean for a Gaussian prior whose covariance is proportional to (Z Z^T)^2.
class GroupFilter {
public:
    static constexpr double strictness = 0.45;

    /// Replaces the patches by their estimates.
    void apply(Eigen::Ref<Mat> patches, double noise_variance);

    /// Of the group last estimated, for every pixel of its patches: the noise variance that was kept, in units of that
    /// of white noise. If the patches were whitened, `colour` turns them into pixels.
    [[nodiscard]] Vec kept(const Mat* colour = nullptr) const;

private:
    using Strided = Eigen::Map<Mat, Eigen::Aligned64, Eigen::OuterStride<>>;
    using ConstStrided = Eigen::Map<const Mat, Eigen::Aligned64, Eigen::OuterStride<>>;

    void limit_moment(Strided moment);
    [[nodiscard]] ConstStrided factor() const;

    // As solve_group_system() and group_gram() want them.
    AlignedDoubles centred_;  // Z
    AlignedDoubles moment_;   // B
    AlignedDoubles system_;   // B^2 + I above Z^T; then the Cholesky factor above what is removed
    std::size_t dim_ = 0, count_ = 0;
};

}  // namespace sbdl
