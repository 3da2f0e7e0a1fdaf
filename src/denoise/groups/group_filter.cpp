#include "denoise/groups/group_filter.hpp"

#include <cmath>

#include "base/products.hpp"

namespace sbdl {
namespace {

// Of the eigenvalues of B: such directions are kept whole. The squares of larger ones would drown, in their rounding,
// the 1 that is added to them.
constexpr double largest_moment = 1e6;

}  // namespace

void GroupFilter::apply(Eigen::Ref<Mat> patches, double noise_variance) {
    const Eigen::Index dim = patches.rows();
    count_ = patches.cols();
    const Vec mean = patches.rowwise().mean();
    patches.colwise() -= mean;
    const double edge = std::sqrt(static_cast<double>(dim)) + std::sqrt(static_cast<double>(count_));
    const double level = strictness * noise_variance * edge * edge;
    moment_.resize(dim, dim);
    system_.resize(dim, dim);
    multiply_by_transposed(patches, patches, moment_, 1.0 / level);
    if (moment_.trace() > largest_moment) limit_moment();
    multiply(moment_, moment_, system_);
    system_.diagonal().array() += 1.0;
    factor_lower(system_);
    // F Z = Z - (B^2 + I)^-1 Z
    solved_ = patches;
    solve_lower(system_, solved_);
    solve_lower_transposed(system_, solved_);
    patches -= solved_;
    patches.colwise() += mean;
}

// B becomes (B^-1 + I / b)^-1 = b (I - (I + B / b)^-1), with b = largest_moment: small eigenvalues stay.
void GroupFilter::limit_moment() {
    const Eigen::Index dim = moment_.rows();
    system_ = moment_ / largest_moment;
    system_.diagonal().array() += 1.0;
    factor_lower(system_);
    solved_ = Mat::Identity(dim, dim);
    solve_lower(system_, solved_);
    solve_lower_transposed(system_, solved_);
    moment_ = largest_moment * (Mat::Identity(dim, dim) - solved_);
}

// The diagonal of W (F + I / count) W^T, with W = I or `colour`, which is symmetric, and F = I - (L L^T)^-1.
Vec GroupFilter::kept(const Mat* colour) const {
    const Mat to_pixels = colour != nullptr ? *colour : Mat::Identity(system_.rows(), system_.rows());
    Mat removed = to_pixels;
    solve_lower(system_, removed);
    const double with_mean = 1.0 + 1.0 / static_cast<double>(count_);
    return with_mean * to_pixels.colwise().squaredNorm() - removed.colwise().squaredNorm();
}

}  // namespace sbdl
