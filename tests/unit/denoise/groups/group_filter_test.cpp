// The estimate of a group against its definition, in the principal directions of its patches.
#include "denoise/groups/group_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/compute_scope.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

struct DirectGroup {
    Mat estimate;
    Vec kept;    // shares of the noise's variance
    Vec shares;  // of each principal direction that is kept, the strongest first
};

/// With s the singular values of the deviations from the mean patch, their directions keep b^2 / (b^2 + 1), b = s^2/c.
DirectGroup direct_group(const Mat& patches, double noise_variance) {
    const auto dim = static_cast<double>(patches.rows()), count = static_cast<double>(patches.cols());
    const double c = GroupFilter::strictness * noise_variance * (std::sqrt(dim) + std::sqrt(count)) *
                     (std::sqrt(dim) + std::sqrt(count));
    const Vec mean = patches.rowwise().mean();
    const test::ThinSvd parts = test::thin_svd(patches.colwise() - mean);
    const Vec b = parts.values.cwiseAbs2() / c;
    DirectGroup result;
    result.shares = b.array().square() / (b.array().square() + 1.0);
    const Vec values = result.shares.cwiseProduct(parts.values);
    result.estimate = (parts.U * values.asDiagonal() * parts.V.transpose()).colwise() + mean;
    result.kept = (parts.U * result.shares.asDiagonal() * parts.U.transpose()).diagonal().array() + 1.0 / count;
    return result;
}

/// Combinations of a few patches, `strength` times as strong as the noise, around a mean patch; the noise is apart.
Mat signal(test::Numbers& numbers, Eigen::Index dim, Eigen::Index count, Eigen::Index rank, double strength) {
    const Mat deviations = strength * numbers.normals(dim, rank) * numbers.normals(rank, count);
    return deviations.colwise() + 100.0 * numbers.normals(dim, 1).col(0);
}

class GroupFilterTest : public testing::Test {
protected:
    const ComputeScope scope_;
};

TEST_F(GroupFilterTest, IsThatOfThePrincipalDirections) {
    test::Numbers numbers(1);
    GroupFilter filter;  // one for groups of all sizes
    for (const Eigen::Index dim : {1, 4, 9, 16, 36, 49})
        for (const Eigen::Index count : {2, 5, 16, 45}) {
            SCOPED_TRACE(testing::Message() << dim << " x " << count);
            const Mat patches = signal(numbers, dim, count, 1, 4.0) + 3.0 * numbers.normals(dim, count);
            const DirectGroup want = direct_group(patches, 9.0);
            Mat estimate = patches;
            filter.apply(estimate, 9.0);
            EXPECT_LE((estimate - want.estimate).cwiseAbs().maxCoeff(), 1e-9);
            EXPECT_LE((filter.kept() - want.kept).cwiseAbs().maxCoeff(), 1e-9);
            EXPECT_GT((patches - estimate).norm(), 0.1) << "something is removed";
        }
}

TEST_F(GroupFilterTest, KeepsWhatIsStrongerThanTheNoiseAndRemovesTheRest) {
    test::Numbers numbers(2);
    const Mat truth = signal(numbers, 16, 40, 2, 20.0), noise = numbers.normals(16, 40);
    Mat estimate = truth + noise;
    const DirectGroup direct = direct_group(estimate, 1.0);
    EXPECT_GT(direct.shares[1], 0.999);
    EXPECT_LT(direct.shares[2], 0.95);
    GroupFilter().apply(estimate, 1.0);
    EXPECT_LT((estimate - truth).norm(), 0.75 * noise.norm());

    // Of noise less than half of what it is said to be, little more than the mean remains.
    Mat weak = noise;
    GroupFilter filter;
    filter.apply(weak, 9.0);
    EXPECT_LT((weak.colwise() - noise.rowwise().mean()).norm(), 0.05 * noise.norm());
    EXPECT_LT(filter.kept().maxCoeff(), 0.07);
    EXPECT_GT(filter.kept().minCoeff(), 1.0 / 40.0) << "the mean has noise of its own";
}

TEST_F(GroupFilterTest, OnePatchStaysAsItIs) {
    test::Numbers numbers(3);
    const Mat patch = numbers.normals(9, 1);
    Mat estimate = patch;
    GroupFilter filter;
    filter.apply(estimate, 1.0);
    EXPECT_LE((estimate - patch).norm(), 1e-14);
    EXPECT_LE((filter.kept() - Vec::Ones(9)).norm(), 1e-14);
}

TEST_F(GroupFilterTest, EqualPatchesStayAsTheyAre) {
    test::Numbers numbers(4);
    const Mat patches = numbers.normals(9, 1).replicate(1, 8);
    Mat estimate = patches;
    GroupFilter filter;
    filter.apply(estimate, 1.0);
    EXPECT_LE((estimate - patches).norm(), 1e-14);
    EXPECT_LE((filter.kept() - Vec::Constant(9, 1.0 / 8.0)).norm(), 1e-14) << "the mean of eight";
}

// Beside a direction a million times as strong as the noise, what is weak is removed as usual.
TEST_F(GroupFilterTest, StrongDirectionsDoNotDrownTheOthers) {
    for (const double strength : {1e2, 1e3, 5e3, 2e4, 1e6}) {
        SCOPED_TRACE(strength);
        test::Numbers numbers(5);
        const Mat patches = signal(numbers, 16, 30, 2, strength) + numbers.normals(16, 30);
        const DirectGroup want = direct_group(patches, 1.0);
        Mat estimate = patches;
        GroupFilter filter;
        filter.apply(estimate, 1.0);
        ASSERT_TRUE(estimate.allFinite());
        EXPECT_LE((estimate - want.estimate).cwiseAbs().maxCoeff(), 0.02);
        EXPECT_LE((filter.kept() - want.kept).cwiseAbs().maxCoeff(), 0.02);
    }
}

TEST_F(GroupFilterTest, UnitsDoNotMatter) {
    test::Numbers numbers(6);
    const Mat patches = signal(numbers, 9, 20, 1, 3.0) + numbers.normals(9, 20);
    Mat usual = patches;
    GroupFilter().apply(usual, 1.0);
    for (const double unit : {0x1p-200, 0x1p190}) {
        Mat scaled = unit * patches;
        GroupFilter().apply(scaled, unit * unit);
        EXPECT_LE((scaled / unit - usual).norm(), 1e-12);
    }
}

}  // namespace
}  // namespace sbdl
