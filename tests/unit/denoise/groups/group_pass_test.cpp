// One pass over groups of similar patches: against the average of the groups, written down directly. What a later pass
// takes for noise has constants that were tuned; the tests hold for any of them.
#include "denoise/groups/group_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/compute_scope.hpp"
#include "denoise/groups/group_filter.hpp"
#include "denoise/groups/similar_patches.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "denoise/whitening.hpp"
#include "group_planes.hpp"
#include "support/same_result.hpp"

namespace sbdl {
namespace {

class GroupPassTest : public testing::Test {
protected:
    const ComputeScope scope_;
};

GroupPlane after_pass(GroupPlane plane, bool first, const GroupSetting& setting) {
    std::vector<GroupPlane> planes{std::move(plane)};
    group_pass(planes, first, setting);
    return planes[0];
}

/// What a pass makes of a plane.
struct DirectPlane {
    Matrix estimate, kept;
};

/// The pixels and shares of all groups' patches, averaged at each pixel.
std::vector<DirectPlane> direct_first_pass(const std::vector<GroupPlane>& planes, const GroupSetting& s) {
    const std::size_t height = planes[0].noisy->rows(), width = planes[0].noisy->cols();
    const auto dim = static_cast<Eigen::Index>(s.patch * s.patch);
    const SimilarPatches similar(planes[0].estimate, s.patch, s.radius);
    const PatchGrid grid = patch_grid(height, width, s.patch, s.stride);
    Matrix weight(height, width);
    std::vector<DirectPlane> sums(planes.size(), {weight, weight});
    SimilarPatches::Scratch scratch;
    std::vector<PatchPlace> group;
    for (const std::size_t row : grid.rows)
        for (const std::size_t col : grid.cols) {
            similar.find({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(col)}, s.most, scratch, group);
            for (std::size_t p = 0; p < planes.size(); ++p) {
                const GroupPlane& plane = planes[p];
                Mat patches(dim, static_cast<Eigen::Index>(group.size()));
                const auto pixel = [&](std::size_t k, Eigen::Index i) {
                    const auto at = static_cast<std::size_t>(i);
                    return (group[k].row + at / s.patch) * width + group[k].col + at % s.patch;
                };
                for (Eigen::Index k = 0; k < patches.cols(); ++k)
                    for (Eigen::Index i = 0; i < dim; ++i)
                        patches(i, k) = (*plane.noisy)[pixel(static_cast<std::size_t>(k), i)];
                GroupFilter filter;
                filter.apply(patches, plane.sigma * plane.sigma);
                const Vec kept = filter.kept();
                for (Eigen::Index k = 0; k < patches.cols(); ++k)
                    for (Eigen::Index i = 0; i < dim; ++i) {
                        const std::size_t at = pixel(static_cast<std::size_t>(k), i);
                        sums[p].estimate.data()[at] += patches(i, k);
                        sums[p].kept.data()[at] += kept[i];
                        if (p == 0) ++weight.data()[at];
                    }
            }
        }
    for (DirectPlane& plane : sums)
        for (std::size_t i = 0; i < weight.size(); ++i) {
            plane.estimate.data()[i] /= weight.data()[i];
            plane.kept.data()[i] /= weight.data()[i];
        }
    return sums;
}

// Groups are those of the first plane's estimate: each plane has an estimate of its own, so others would show. The
// sizes have a last row and column of groups that is less than a stride from the one before, and several bands of rows.
TEST_F(GroupPassTest, TheFirstIsTheAverageOfTheGroups) {
    constexpr std::array<std::array<std::size_t, 2>, 4> sizes{{{4, 4}, {9, 14}, {30, 11}, {62, 8}}};
    for (const auto [height, width] : sizes) {
        SCOPED_TRACE(testing::Message() << height << " x " << width);
        GroupSetting setting = test::small_groups();
        setting.with_kept = true;
        std::vector<Plane> noisy;
        std::vector<GroupPlane> planes = test::two_planes(height, width, noisy);
        const std::vector<DirectPlane> want = direct_first_pass(planes, setting);
        group_pass(planes, true, setting);
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_LE(test::farthest_apart(planes[p].estimate, want[p].estimate), 1e-4) << p;
            EXPECT_LE(test::farthest_apart(planes[p].kept, want[p].kept), 1e-6) << p;
        }
    }
}

// Higher than a strip, whose rows get their estimates while later ones still read and search those before.
TEST_F(GroupPassTest, StripsDoNotShow) {
    GroupSetting setting = test::small_groups();
    setting.with_kept = true;
    std::vector<Plane> noisy;
    const std::vector<GroupPlane> before = test::two_planes(2 * strip_rows + 50, 7, noisy);
    const std::vector<DirectPlane> want = direct_first_pass(before, setting);
    for (const int threads : {1, 3}) {
        std::vector<GroupPlane> planes = before;
        setting.threads = threads;
        group_pass(planes, true, setting);
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_LE(test::farthest_apart(planes[p].estimate, want[p].estimate), 1e-4) << p;
            EXPECT_LE(test::farthest_apart(planes[p].kept, want[p].kept), 1e-6) << p;
        }
    }
}

TEST_F(GroupPassTest, EveryStrideAndRadiusCoversEveryPixel) {
    for (const std::size_t stride : {1U, 2U, 3U, 4U})
        for (const std::size_t radius : {0U, 1U, 5U}) {
            SCOPED_TRACE(testing::Message() << stride << ", " << radius);
            GroupSetting setting = test::small_groups();
            setting.stride = stride;
            setting.radius = radius;
            setting.with_kept = true;
            std::vector<Plane> noisy;
            std::vector<GroupPlane> planes = test::two_planes(23, 15, noisy);
            const std::vector<DirectPlane> want = direct_first_pass(planes, setting);
            group_pass(planes, true, setting);
            EXPECT_LE(test::farthest_apart(planes[1].estimate, want[1].estimate), 1e-4);
            for (std::size_t i = 0; i < noisy[0].size(); ++i) {
                ASSERT_GT(planes[1].kept[i], 0.0);
                ASSERT_LE(planes[1].kept[i], 1.0 + 1e-6);
            }
        }
}

TEST_F(GroupPassTest, SharesAreNotComputedUnlessAskedFor) {
    std::vector<Plane> noisy;
    std::vector<GroupPlane> planes = test::two_planes(9, 9, noisy), with = planes;
    group_pass(planes, true, test::small_groups());
    EXPECT_TRUE(planes[0].kept.empty());
    GroupSetting setting = test::small_groups();
    setting.with_kept = true;
    group_pass(with, true, setting);
    EXPECT_TRUE(test::same_bits(with[1].estimate, planes[1].estimate));
}

// 20 rows of groups in three bands; and 58 rows in four, which have to be as high as the window.
TEST_F(GroupPassTest, IsTheSameForAnyNumberOfThreads) {
    std::vector<Plane> noisy;
    const std::vector<GroupPlane> before = test::two_planes(61, 47, noisy);
    GroupSetting dense = test::small_groups();
    dense.stride = 1;
    dense.radius = 6;
    dense.most = 4;
    for (GroupSetting setting : {test::small_groups(), dense})
        for (const bool first : {true, false}) {
            std::vector<GroupPlane> one = before;
            setting.with_kept = true;
            setting.threads = 1;
            group_pass(one, first, setting);
            for (const int threads : {2, 3, 5}) {
                std::vector<GroupPlane> more = before;
                setting.threads = threads;
                group_pass(more, first, setting);
                for (std::size_t p = 0; p < 2; ++p) {
                    EXPECT_TRUE(test::same_bits(more[p].estimate, one[p].estimate)) << threads;
                    EXPECT_TRUE(test::same_bits(more[p].kept, one[p].kept)) << threads;
                }
            }
        }
}

TEST_F(GroupPassTest, ThreadsTellTheirProgressOneAtATime) {
    std::vector<Plane> noisy;
    std::vector<GroupPlane> planes = test::two_planes(61, 20, noisy);
    GroupSetting setting = test::small_groups(3);
    std::vector<double> shares;
    setting.progress = [&](double share) { shares.push_back(share); };
    group_pass(planes, true, setting);
    ASSERT_EQ(shares.size(), patch_grid(61, 20, setting.patch, setting.stride).rows.size());
    EXPECT_GT(shares.front(), 0.0);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_EQ(shares.back(), 1.0);
}

TEST_F(GroupPassTest, AConstantImageStaysAsItIs) {
    const Plane flat(20, 13, {77.0, 1.0});
    for (const bool first : {true, false}) {
        const GroupPlane after = after_pass({&flat, 5.0, nullptr, flat, Plane()}, first, test::small_groups());
        EXPECT_EQ(test::farthest_apart(after.estimate, flat), 0.0);
    }
}

/// The share of what was removed that a later pass sees: the noisy image is 1 above the estimate, both are constant.
double shown_again() {
    const Plane above(8, 8, {1.0, 1.0});
    return after_pass({&above, 1.0, nullptr, Plane(8, 8), Plane()}, false, test::small_groups()).estimate(3, 3);
}

/// A later pass over a striped estimate with noise of 10 in it, where the noisy image is `above` brighter everywhere.
/// Minus what is seen again of it.
Matrix later_pass(double above, double sigma) {
    const Plane estimate(test::with_white_noise(test::striped_plane(21, 17), 10.0, 3));
    Plane noisy = estimate;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy.set(i, estimate[i] + above);
    Matrix after =
        after_pass({&noisy, sigma, nullptr, estimate, Plane()}, false, test::small_groups()).estimate.matrix();
    const double seen = shown_again() * above;
    for (std::size_t i = 0; i < after.size(); ++i) after.data()[i] -= seen;
    return after;
}

TEST_F(GroupPassTest, ALaterOneSeesAShareOfWhatWasRemoved) {
    EXPECT_GT(shown_again(), 0.0);
    EXPECT_LT(shown_again(), 0.5);
}

// Only the difference counts between the variance of the noise and that of what is removed, whichever is larger.
TEST_F(GroupPassTest, ALaterOneTakesForNoiseWhatIsNotAccountedFor) {
    const double removed = 20.0 * (1.0 - shown_again());
    const Matrix more = later_pass(20.0, removed * std::sqrt(1.5)), less = later_pass(20.0, removed * std::sqrt(0.5)),
                 all = later_pass(0.0, removed * std::sqrt(0.5));
    EXPECT_LE(test::farthest_apart(more, less), 1e-3);
    EXPECT_LE(test::farthest_apart(more, all), 1e-3);
    const Matrix truth = test::striped_plane(21, 17);
    EXPECT_LT(test::apart(more, truth), 9.5) << "there is noise of 10";
    const Matrix nothing = later_pass(20.0, removed);
    EXPECT_LT(test::apart(nothing, later_pass(0.0, 0.01)), test::apart(more, later_pass(0.0, 0.01)))
        << "less is removed if all noise is accounted for";
}

// If it is accounted for exactly, some is taken to be there all the same: traces are not kept because of rounding.
TEST_F(GroupPassTest, ALaterOneTakesSomethingForNoise) {
    const Plane estimate(test::with_white_noise(Matrix(15, 15, 50.0), 1e-3, 4));
    Plane noisy = estimate;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy.set(i, estimate[i] + 1.0);
    const double seen = shown_again();
    const GroupPlane after = after_pass({&noisy, 1.0 - seen, nullptr, estimate, Plane()}, false, test::small_groups());
    EXPECT_LT(test::apart(after.estimate, Matrix(15, 15, 50.0 + seen)), 0.5e-3);
}

// Whitening by the noise's standard deviation is no whitening.
TEST_F(GroupPassTest, WhitePatchesComeBack) {
    Autocovariance white;
    white.at[0][0] = 400.0;
    GroupSetting setting = test::small_groups();
    setting.with_kept = true;
    std::vector<Plane> noisy;
    for (const bool first : {true, false}) {
        GroupPlane plane = test::two_planes(21, 17, noisy)[0];
        const GroupPlane usual = after_pass(plane, first, setting);
        plane.correlated = &white;
        plane.sigma = 0.0;  // it is in the autocovariance
        const GroupPlane whitened = after_pass(plane, first, setting);
        EXPECT_LE(test::farthest_apart(whitened.estimate, usual.estimate), 1e-4);
        EXPECT_LE(test::farthest_apart(whitened.kept, usual.kept), 1e-6);
    }
}

}  // namespace
}  // namespace sbdl
