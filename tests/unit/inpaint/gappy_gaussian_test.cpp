// The posterior of a patch against the textbook formula with explicit matrices, for few and for most entries observed.
#include "inpaint/gappy_gaussian.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/compute_scope.hpp"
#include "random/stream.hpp"
#include "support/dense_algebra.hpp"

namespace sbdl {
namespace {

struct GaussianCase {
    Mat covariance;
    Vec mean, patch;
    std::vector<std::uint8_t> observed;
};

/// Every `step`-th entry is observed, or all but those.
GaussianCase random_case(Eigen::Index dim, Eigen::Index step, bool most) {
    DrawStream draw(5, {.purpose = Purpose::test});
    Mat factor(dim, dim);
    GaussianCase made{{}, Vec(dim), Vec(dim), std::vector<std::uint8_t>(static_cast<std::size_t>(dim))};
    for (Eigen::Index i = 0; i < dim; ++i) {
        for (Eigen::Index k = 0; k < dim; ++k) factor(i, k) = draw.normal();
        made.mean[i] = 10.0 * draw.normal();
        made.patch[i] = 10.0 * draw.normal();
        made.observed[static_cast<std::size_t>(i)] = (i % step == 0) != most ? 1 : 0;
    }
    made.covariance = factor * factor.transpose() / static_cast<double>(dim);
    made.covariance.diagonal().array() += 0.1;
    return made;
}

void expect_posterior(const GaussianCase& of, double noise) {
    std::vector<Eigen::Index> seen;
    for (std::size_t i = 0; i < of.observed.size(); ++i)
        if (of.observed[i] != 0) seen.push_back(static_cast<Eigen::Index>(i));
    const Mat across = of.covariance(Eigen::all, seen);
    Mat system = across(seen, Eigen::all);
    system.diagonal().array() += noise;
    const Mat gain = across * test::inverse(system);
    const Vec mean = of.mean + gain * (of.patch(seen) - of.mean(seen));
    const Vec variance = (of.covariance - gain * across.transpose()).diagonal();

    const ComputeScope scope;
    GappyGaussian model;
    model.assign(of.mean, of.covariance, noise);
    for (int again = 0; again < 2; ++again) {  // the second patch of a group finds what the first has made
        Vec patch = of.patch, found(patch.size());
        model.estimate(of.observed, patch, found);
        EXPECT_LT((patch - mean).norm(), 1e-9 * mean.norm());
        EXPECT_LT((found - variance).norm(), 1e-9 * of.covariance.norm());
    }
}

TEST(GappyGaussian, FewObserved) {
    expect_posterior(random_case(17, 3, false), 0.5);
}
TEST(GappyGaussian, MostObserved) {
    expect_posterior(random_case(17, 3, true), 0.5);
}
TEST(GappyGaussian, AllObserved) {
    expect_posterior(random_case(9, 1, false), 0.5);
}
TEST(GappyGaussian, NoneObserved) {
    const GaussianCase of = random_case(9, 1, true);
    GappyGaussian model;
    model.assign(of.mean, of.covariance, 0.5);
    Vec patch = of.patch, variance(patch.size());
    model.estimate(of.observed, patch, variance);
    EXPECT_EQ(patch, of.mean);
    EXPECT_EQ(variance, of.covariance.diagonal());
}

}  // namespace
}  // namespace sbdl
