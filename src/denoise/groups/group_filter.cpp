#include "denoise/groups/group_filter.hpp"

#include <cmath>

#include "base/products.hpp"

namespace sbdl {

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

Vec GroupFilter::kept() const {
    Mat inverse = Mat::Identity(system_.rows(), system_.rows());
    solve_lower(system_, inverse);
    const double of_mean = 1.0 / static_cast<double>(count_);
    return (1.0 + of_mean - inverse.colwise().squaredNorm().array()).matrix().transpose();
}

}  // namespace sbdl
