#include "denoise/groups/group_filter.hpp"

#include <cmath>

#include "base/products.hpp"
#include "denoise/groups/group_system.hpp"

namespace sbdl {
namespace {

// Of the eigenvalues of B: such directions are kept whole. The squares of larger ones would drown, in their rounding,
// the 1 that is added to them.
constexpr double largest_moment = 1e6;

Eigen::Index index(std::size_t number) {
    return static_cast<Eigen::Index>(number);
}

}  // namespace

void GroupFilter::apply(Eigen::Ref<Mat> patches, double noise_variance) {
    dim_ = static_cast<std::size_t>(patches.rows());
    count_ = static_cast<std::size_t>(patches.cols());
    const std::size_t padded = round_up(dim_, group_padding), columns = round_up(dim_, columns_at_once);
    const std::size_t step = padded + round_up(count_, group_padding);
    const Vec mean = patches.rowwise().mean();
    centred_.assign(padded * count_, 0.0);
    system_.assign(step * columns, 0.0);
    moment_.resize(padded * columns);
    for (std::size_t k = 0; k < count_; ++k) {
        const double* const patch = patches.col(index(k)).data();
        for (std::size_t i = 0; i < dim_; ++i) {
            const double value = patch[i] - mean[index(i)];
            centred_[k * padded + i] = value;
            system_[i * step + padded + k] = value;
        }
    }
    const double edge = std::sqrt(static_cast<double>(dim_)) + std::sqrt(static_cast<double>(count_));
    const double level = strictness * noise_variance * edge * edge;
    group_gram(centred_.data(), dim_, count_, 1.0 / level, moment_.data(), padded);
    Strided moment(moment_.data(), index(dim_), index(dim_), Eigen::OuterStride<>(index(padded)));
    if (moment.trace() > largest_moment) limit_moment(moment);
    group_gram(moment_.data(), dim_, dim_, 1.0, system_.data(), step);
    for (std::size_t j = 0; j < columns; ++j) system_[j * step + j] += 1.0;
    // F Z = Z - (B^2 + I)^-1 Z
    solve_group_system(system_.data(), dim_, count_);
    for (std::size_t k = 0; k < count_; ++k)
        for (std::size_t i = 0; i < dim_; ++i) patches(index(i), index(k)) -= system_[i * step + padded + k];
}

// B becomes (B^-1 + I / b)^-1 = b (I - (I + B / b)^-1), with b = largest_moment: small eigenvalues stay.
void GroupFilter::limit_moment(Strided moment) {
    Mat system = moment / largest_moment;
    system.diagonal().array() += 1.0;
    factor_lower(system);
    const Mat identity = Mat::Identity(moment.rows(), moment.rows());
    Mat inverse = identity;
    solve_lower(system, inverse);
    solve_lower_transposed(system, inverse);
    moment = largest_moment * (identity - inverse);
}

GroupFilter::ConstStrided GroupFilter::factor() const {
    const std::size_t step = round_up(dim_, group_padding) + round_up(count_, group_padding);
    return {system_.data(), index(dim_), index(dim_), Eigen::OuterStride<>(index(step))};
}

// The diagonal of W (F + I / count) W^T, with W = I or `colour`, which is symmetric, and F = I - (L L^T)^-1.
Vec GroupFilter::kept(const Mat* colour) const {
    const Mat to_pixels = colour != nullptr ? *colour : Mat::Identity(index(dim_), index(dim_));
    Mat removed = to_pixels;
    solve_lower(factor(), removed);
    const double with_mean = 1.0 + 1.0 / static_cast<double>(count_);
    return with_mean * to_pixels.colwise().squaredNorm() - removed.colwise().squaredNorm();
}

}  // namespace sbdl
