// A patch of which some entries were observed, under a Gaussian model: the posterior of all its entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

/// Patches x ~ N(mean, C), observed as y = x + noise. To be used inside a ComputeScope.
class GappyGaussian {
public:
    /// C must be positive definite, or `noise_variance` positive.
    void assign(const Vec& mean, const Mat& covariance, double noise_variance);

    /// `patch` holds the observed entries, and is replaced by the posterior mean; entries that are not observed do not
    /// count. `variance` becomes that of every entry. `observed` is 1 or 0 for each entry.
    void estimate(std::span<const std::uint8_t> observed, Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance);

private:
    void given_few(Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance);
    void given_most(Eigen::Ref<Vec> patch, Eigen::Ref<Vec> variance);
    void invert();

    Vec mean_;
    Mat covariance_;
    double noise_ = 0.0;
    bool inverted_ = false;
    Mat precision_;  // of the observed entries of a complete patch
    std::vector<Eigen::Index> seen_, gaps_;
    Mat factor_, across_, inverse_;
    Vec off_, solved_;
};

}  // namespace sbdl
