// All passes over groups of similar patches: what they do to images, and that a run that was killed ends with the same
// bits. How much they gain depends on constants that were tuned; the bounds leave room for other ones.
#include "denoise/groups/group_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/compute_scope.hpp"
#include "denoise/pass_journal.hpp"
#include "denoise/whitening.hpp"
#include "group_planes.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

class GroupEstimateTest : public testing::Test {
protected:
    /// Of one plane with white noise, with the usual setting.
    static PassResult estimate(const Matrix& noisy, double sigma, const Matrix& single) {
        const Plane plane(noisy);
        return test::improved({{&plane, sigma, nullptr, Plane(single), Plane()}}, {})[0];
    }

    const ComputeScope scope_;
};

TEST_F(GroupEstimateTest, ImprovesWhatIsRepeated) {
    const Matrix truth = test::striped_plane(48, 40), noisy = test::with_white_noise(truth, 25.0, 1);
    const Matrix single = test::smoothed(noisy);
    const PassResult result = estimate(noisy, 25.0, single);
    EXPECT_LT(test::apart(result.plane, truth), 0.5 * test::apart(noisy, truth));
    EXPECT_LT(test::apart(result.plane, truth), 0.5 * test::apart(single, truth));
}

// Where many patches are equal, so are their distances.
TEST_F(GroupEstimateTest, EqualPatchesAreNoProblem) {
    Matrix tiles(32, 32);
    for (std::size_t row = 0; row < 32; ++row)
        for (std::size_t col = 0; col < 32; ++col) tiles(row, col) = 20.0 * static_cast<double>((row % 4) * (col % 4));
    const Matrix noisy = test::with_white_noise(tiles, 20.0, 2);
    const PassResult result = estimate(noisy, 20.0, tiles);
    EXPECT_LT(test::farthest_apart(result.plane, tiles), 20.0);
    EXPECT_LT(test::apart(result.plane, tiles), 0.3 * 20.0);
}

TEST_F(GroupEstimateTest, AConstantImageStaysAsItIs) {
    const Matrix flat(19, 23, 77.0);
    EXPECT_EQ(test::farthest_apart(estimate(flat, 5.0, flat).plane, flat), 0.0);
}

TEST_F(GroupEstimateTest, PureNoiseBecomesNearlyFlat) {
    const Matrix flat(48, 48, 100.0), noisy = test::with_white_noise(flat, 10.0, 3);
    const Matrix single = test::smoothed(test::smoothed(noisy));
    EXPECT_LT(test::apart(estimate(noisy, 10.0, single).plane, flat), 0.2 * 10.0);
}

// Smaller than the window, and with fewer patches than a group may have.
TEST_F(GroupEstimateTest, SmallImagesWork) {
    const Matrix flat(8, 8, 100.0), noisy = test::with_white_noise(flat, 10.0, 4);
    const PassResult result = estimate(noisy, 10.0, test::smoothed(noisy));
    EXPECT_LT(test::apart(result.plane, flat), 0.6 * 10.0);
}

TEST_F(GroupEstimateTest, StrongEdgesGiveFiniteNumbers) {
    Matrix truth = test::striped_plane(24, 24);
    for (std::size_t i = 0; i < truth.size(); ++i) truth.data()[i] *= 1e4;
    const Matrix noisy = test::with_white_noise(truth, 1.0, 5);
    const PassResult result = estimate(noisy, 1.0, noisy);
    EXPECT_LT(test::farthest_apart(result.plane, truth), 10.0);
    for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_TRUE(std::isfinite(result.std[i]));
}

// Larger where detail keeps noise, and in units of the noise.
TEST_F(GroupEstimateTest, StandardDeviationsFollowTheDetail) {
    Matrix truth(40, 64, 100.0);
    for (std::size_t row = 0; row < 40; ++row)
        for (std::size_t col = 32; col < 64; ++col)
            truth(row, col) += 100.0 * std::sin(0.05 * static_cast<double>(row * col));
    const Matrix noisy = test::with_white_noise(truth, 10.0, 6);
    const PassResult result = estimate(noisy, 10.0, noisy);
    double flat = 0.0, detailed = 0.0;
    for (std::size_t row = 0; row < 40; ++row)
        for (std::size_t col = 0; col < 24; ++col) {
            flat += result.std(row, col) / (40.0 * 24.0);
            detailed += result.std(row, col + 40) / (40.0 * 24.0);
            ASSERT_GT(result.std(row, col), 0.0);
        }
    EXPECT_GT(detailed, 1.5 * flat);
    EXPECT_LT(detailed, 2.0 * 10.0);
    EXPECT_GT(detailed, 0.1 * 10.0);

    Matrix doubled = noisy;
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled.data()[i] *= 2.0;
    const PassResult twice = estimate(doubled, 20.0, doubled);
    for (std::size_t i = 0; i < doubled.size(); ++i) {
        ASSERT_NEAR(twice.plane[i], 2.0 * result.plane[i], 1e-9);
        ASSERT_NEAR(twice.std[i], 2.0 * result.std[i], 1e-9);
    }
    const Plane plane(noisy);
    std::vector<GroupPlane> planes{{&plane, 10.0, nullptr, plane, Plane()}};
    EXPECT_TRUE(test::improved(planes, {}, false)[0].std.empty()) << "nobody asked for them";
}

// Noise of the spectrum of 2 x 2 means: taken for white noise of the same strength, it looks like detail.
TEST_F(GroupEstimateTest, CorrelatedNoiseIsWhitened) {
    Autocovariance noise;
    noise.at[0] = {400.0, 200.0};
    noise.at[1] = {200.0, 100.0};
    const Matrix truth = test::striped_plane(48, 48), added = noise_like(noise, 48, 48, 7, 1);
    Matrix noisy = truth;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] += added.data()[i];
    const Matrix single = test::with_white_noise(truth, 8.0, 8);
    const double as_white = test::apart(estimate(noisy, 20.0, single).plane, truth);
    const Plane plane(noisy);
    const PassResult result = test::improved({{&plane, 20.0, &noise, Plane(single), Plane()}}, {})[0];
    EXPECT_LT(test::apart(result.plane, truth), 0.7 * test::apart(noisy, truth));
    EXPECT_LT(test::apart(result.plane, truth), as_white);
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        ASSERT_GT(result.std[i], 0.0);
        ASSERT_LT(result.std[i], 2.0 * 20.0);
    }
}

TEST_F(GroupEstimateTest, IsTheSameForAnyNumberOfThreads) {
    std::vector<Plane> noisy;
    const std::vector<GroupPlane> planes = test::two_planes(61, 47, noisy);
    const std::vector<PassResult> one = test::improved(planes, test::small_groups(1));
    for (const int threads : {2, 3, 5}) {
        const std::vector<PassResult> more = test::improved(planes, test::small_groups(threads));
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_TRUE(test::same_bits(more[p].plane, one[p].plane)) << threads;
            EXPECT_TRUE(test::same_bits(more[p].std, one[p].std)) << threads;
        }
    }
}

TEST_F(GroupEstimateTest, ProgressRisesToOne) {
    std::vector<Plane> noisy;
    std::vector<double> shares;
    GroupSetting setting = test::small_groups();
    setting.progress = [&](double share) { shares.push_back(share); };
    test::improved(test::two_planes(20, 20, noisy), setting, false);
    EXPECT_GT(shares.front(), 0.0);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_NEAR(shares.back(), 1.0, 1e-12);
    EXPECT_TRUE(std::adjacent_find(shares.begin(), shares.end()) == shares.end()) << "every pass has its part";
}

/// A run with a checkpoint, from which it can be resumed.
class GroupJournalTest : public GroupEstimateTest {
protected:
    GroupJournalTest() : planes_(test::two_planes(17, 14, noisy_)) {
        for (const Plane& plane : noisy_) image_.planes.push_back(plane.matrix());
    }

    PassJournal journal(const char* file, bool resume) {
        Context context;
        context.checkpoint.path = folder_ / file;
        context.checkpoint.every_s = 0.0;
        context.checkpoint.resume = resume;
        PassJournal result(context, image_, {});
        Model model;
        std::vector<std::string> warnings;
        EXPECT_EQ(result.resume(model, warnings), resume);
        model.dictionary = Matrix(1, 4, 0.5);
        model.atom_usage = model.atom_norm = {1.0};
        if (!resume) result.begin(model);
        return result;
    }
    std::vector<PassResult> run(PassJournal* journal, bool with_std = true) {
        GroupSetting setting = test::small_groups();
        rows_done_ = 0;
        setting.progress = [this](double) { ++rows_done_; };
        return test::improved(planes_, setting, with_std, journal);
    }
    /// The passes in a checkpoint, one plane after the other.
    std::vector<PassResult> passes_in(const char* file) {
        PassJournal stored = journal(file, true);
        std::vector<PassResult> passes;
        while (std::optional<PassResult> next = stored.next()) passes.push_back(std::move(*next));
        return passes;
    }
    static void expect_same(const std::vector<PassResult>& got, const std::vector<PassResult>& want) {
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t k = 0; k < got.size(); ++k) {
            EXPECT_TRUE(test::same_bits(got[k].plane, want[k].plane)) << k;
            EXPECT_TRUE(test::same_bits(got[k].std, want[k].std)) << k;
        }
    }

    test::TempFolder folder_;
    std::vector<Plane> noisy_;
    std::vector<GroupPlane> planes_;
    Image image_;
    std::size_t rows_done_ = 0;  // in the last run, of all its passes
};

// The first pass is different. The result has the same share of the estimate by single patches everywhere.
TEST_F(GroupJournalTest, EachPassBeginsWithTheOneBefore) {
    PassJournal whole = journal("whole.ckpt", false);
    const std::vector<PassResult> results = run(&whole), passes = passes_in("whole.ckpt");
    ASSERT_GE(passes.size(), 2U * 2U);
    ASSERT_EQ(passes.size() % 2, 0U);
    std::vector<GroupPlane> planes = planes_;
    for (std::size_t k = 0; k < passes.size(); k += 2) {
        GroupSetting setting = setting_of_pass(test::small_groups(), k / 2);
        setting.with_kept = k + 2 == passes.size();
        group_pass(planes, k == 0, setting);
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_TRUE(test::same_bits(passes[k + p].plane, planes[p].estimate)) << k;
            EXPECT_TRUE(test::same_bits(passes[k + p].std, planes[p].kept)) << k;
        }
    }
    const auto share_of_single = [&](std::size_t p, std::size_t i) {
        const double last = planes[p].estimate[i];
        return (results[p].plane[i] - last) / (planes_[p].estimate[i] - last);
    };
    const double share = share_of_single(0, 0);
    EXPECT_GE(share, 0.0);
    EXPECT_LT(share, 0.5);
    for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t i = 0; i < noisy_[p].size(); ++i) ASSERT_NEAR(share_of_single(p, i), share, 1e-4);
}

TEST_F(GroupJournalTest, WithoutStandardDeviationsNothingIsKeptForThem) {
    PassJournal whole = journal("whole.ckpt", false);
    for (const PassResult& result : run(&whole, false)) EXPECT_TRUE(result.std.empty());
    for (const PassResult& pass : passes_in("whole.ckpt")) EXPECT_TRUE(pass.std.empty());
}

// Killed after any number of passes. A checkpoint has a pass over all planes or none of it.
TEST_F(GroupJournalTest, AKilledRunEndsWithTheSameBits) {
    PassJournal whole = journal("whole.ckpt", false);
    const std::vector<PassResult> results = run(&whole), passes = passes_in("whole.ckpt");
    expect_same(run(nullptr), results);
    const std::size_t all_rows = rows_done_;
    std::size_t most_rows = all_rows;
    for (std::size_t finished = 2; finished <= passes.size(); finished += 2) {
        SCOPED_TRACE(finished);
        PassJournal killed = journal("killed.ckpt", false);
        for (std::size_t k = 0; k < finished; k += 2) killed.add(std::span(passes).subspan(k, 2));
        PassJournal resumed = journal("killed.ckpt", true);
        expect_same(run(&resumed), results);
        EXPECT_LT(rows_done_, most_rows) << "finished passes are not repeated";
        most_rows = rows_done_;
        expect_same(passes_in("killed.ckpt"), passes);
    }
    EXPECT_EQ(most_rows, 0U);
}

// Standard deviations follow those of single patches by as much as the estimates follow them.
TEST_F(GroupEstimateTest, CorrelationRaisesTheShareOfSinglePatches) {
    const Plane flat(16, 16, {50.0, 16.0}), other(16, 16, {60.0, 16.0});
    Autocovariance white, correlated;
    white.at[0][0] = correlated.at[0][0] = 4.0;
    correlated.at[0][1] = correlated.at[1][0] = 2.0;
    // Groups see a constant image with all noise removed: their estimate is `flat` but for what is fed back.
    const auto share = [&](const Autocovariance* noise) {
        const std::vector<GroupPlane> planes{{&flat, 2.0, noise, other, Plane()}};
        return (test::improved(planes, {})[0].plane(8, 8) - 50.0) / 10.0;
    };
    EXPECT_NEAR(share(&white), share(nullptr), 1e-6);
    EXPECT_GT(share(&correlated), share(nullptr) + 0.1);
}

}  // namespace
}  // namespace sbdl
