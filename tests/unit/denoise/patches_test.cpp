// From an image to patches and back: every pixel is covered, edges, odd sizes, sums that do not depend on threads.
#include "denoise/patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "denoise/patch_average.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Matrix random_plane(std::size_t height, std::size_t width, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix plane(height, width);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = 100.0 + 30.0 * numbers.normal();
    return plane;
}

struct GridCase {
    std::size_t height, width, patch, stride;
};

class GridTest : public testing::TestWithParam<GridCase> {};

TEST_P(GridTest, CoversEveryPixelWithPatchesInside) {
    const GridCase& c = GetParam();
    const PatchGrid grid = patch_grid(c.height, c.width, c.patch, c.stride);
    Matrix covered(c.height, c.width);
    for (const std::size_t row : grid.rows)
        for (const std::size_t col : grid.cols) {
            ASSERT_LE(row + c.patch, c.height);
            ASSERT_LE(col + c.patch, c.width);
            for (std::size_t i = 0; i < c.patch; ++i)
                for (std::size_t j = 0; j < c.patch; ++j) covered(row + i, col + j) += 1.0;
        }
    EXPECT_GT(*std::min_element(covered.data(), covered.data() + covered.size()), 0.0);
    EXPECT_EQ(std::adjacent_find(grid.rows.begin(), grid.rows.end(), std::greater_equal<>()), grid.rows.end());
}

INSTANTIATE_TEST_SUITE_P(Shapes, GridTest,
                         testing::Values(GridCase{8, 8, 8, 1}, GridCase{9, 8, 8, 2}, GridCase{9, 9, 8, 8},
                                         GridCase{17, 31, 8, 4}, GridCase{64, 50, 8, 3}, GridCase{5, 40, 5, 5},
                                         GridCase{3, 3, 1, 1}));

TEST(PatchGrid, RejectsWhatIsTooSmall) {
    test::expect_error<InputError>([] { patch_grid(7, 20, 8, 1); }, {"20 x 7", "8 x 8"});
    test::expect_error<InputError>([] { patch_grid(9, 9, 8, 0); }, {"stride is 0"});
    test::expect_error<InputError>([] { patch_grid(9, 9, 0, 1); }, {"patch is 0"});
}

TEST(ReadPatch, SubtractsTheMeanAndScales) {
    const Matrix plane = random_plane(12, 15, 1);
    std::vector<double> patch(16);
    const double mean = read_patch(plane, 3, 7, 4, 0.5, patch.data());
    EXPECT_NEAR(std::accumulate(patch.begin(), patch.end(), 0.0), 0.0, 1e-12);
    EXPECT_NEAR(mean + 2.0 * patch[5], plane(4, 8), 1e-12);
    EXPECT_NEAR(mean + 2.0 * patch[12], plane(6, 7), 1e-12);
}

TEST(PatchSource, GivesTheSamePatchesInBlocksOfAnySize) {
    const std::vector<Matrix> planes{random_plane(20, 23, 2), random_plane(20, 23, 3)};
    const PatchSource source(planes, {2.0, 4.0}, patch_grid(20, 23, 8, 3), 1000);
    ASSERT_EQ(source.count(), 2 * 5 * 6);
    std::vector<double> all(source.count() * 64), one(64);
    source.read(0, source.count(), all.data());
    for (const std::size_t l : {std::size_t{0}, std::size_t{31}, source.count() - 1}) {
        source.read(l, 1, one.data());
        EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(l * 64)));
    }
    std::vector<double> expected(64);
    read_patch(planes[1], 12, 15, 8, 0.25, expected.data());  // the last one, at both edges, in its plane's unit
    EXPECT_EQ(one, expected);
}

TEST(PatchSource, SpreadsALimitedSetOverTheImage) {
    const std::vector<Matrix> planes{random_plane(64, 64, 4)};
    const PatchSource source(planes, {1.0}, patch_grid(64, 64, 8, 1), 10);
    ASSERT_EQ(source.count(), 10);
    std::vector<double> first(64), last(64), corner(64);
    source.read(0, 1, first.data());
    source.read(9, 1, last.data());
    read_patch(planes[0], 0, 0, 8, 1.0, corner.data());
    EXPECT_EQ(first, corner);
    EXPECT_NE(first, last);
}

TEST(PatchAverage, PatchesThatAgreeGiveBackTheImage) {
    const Matrix plane = random_plane(17, 9, 5);  // one pixel more than a patch across
    const Plane near(random_plane(17, 9, 6));
    PatchAverage average(near, 8, true);
    std::vector<double> patch(64), variances(64, 4.0);
    for (std::size_t row = 0; row < 10; ++row)
        for (std::size_t col = 0; col < 2; ++col) {
            const double mean = read_patch(plane, row, col, 8, 1.0, patch.data());
            for (double& pixel : patch) pixel += mean;
            average.add(row, col, 1.0 + static_cast<double>(row), patch, variances);
        }
    for (const std::size_t end : {0U, 5U, 17U}) average.finish_rows(end);
    const auto [mean, spread] = std::move(average).result();
    for (std::size_t i = 0; i < plane.size(); ++i) {
        EXPECT_NEAR(mean[i], plane.data()[i], 5e-5);  // values around 100
        EXPECT_NEAR(spread[i], 2.0, 5e-3) << "of differences of up to 100, which are not to be seen";
    }
}

TEST(PatchAverage, WeighsPatchesAndMeasuresTheirDisagreement) {
    const Plane near(1, 2, {5.0, 8.0});
    PatchAverage average(near, 1, true);
    const std::vector<double> ten{10.0}, four{4.0}, none{0.0}, one{1.0};
    average.add(0, 0, 1.0, ten, none);
    average.add(0, 0, 2.0, four, one);
    average.add(0, 1, 3.0, four, none);
    average.finish_rows(1);
    const auto [mean, spread] = std::move(average).result();
    EXPECT_NEAR(mean(0, 0), 6.0, 1e-6);
    // within (0 + 2 * 1) / 3, between (16 + 2 * 4) / 3
    EXPECT_NEAR(spread(0, 0), std::sqrt(2.0 / 3.0 + 8.0), 1e-6);
    EXPECT_DOUBLE_EQ(spread(0, 1), 0.0);
}

/// For each row of pixels, the rows of patches that were added to it, in their order.
std::vector<std::vector<std::size_t>> order_of_sums(std::size_t rows, std::size_t patch, std::size_t most,
                                                    int threads) {
    std::vector<std::vector<std::size_t>> added(rows + patch - 1);
    std::size_t finished = 0;
    std::vector<std::size_t> estimated(static_cast<std::size_t>(threads), rows);
    for_each_row(
        rows, patch, most, threads,
        [&](std::size_t row, int thread) { estimated[static_cast<std::size_t>(thread)] = row; },
        [&](std::size_t row, int thread) {
            EXPECT_EQ(estimated[static_cast<std::size_t>(thread)], row);
            EXPECT_GE(row, finished);
            EXPECT_LT(row, finished + most);
            for (std::size_t y = row; y < row + patch; ++y) added[y].push_back(row);
        },
        [&](std::size_t end) {
            EXPECT_GT(end, finished);
            EXPECT_EQ(std::ranges::count(added[end - 1], end - 1), 1) << "all rows before have been added";
            finished = end;
        });
    EXPECT_EQ(finished, rows);
    return added;
}

TEST(RowsOfPatches, AreAddedOnceAndInOneOrderForAnyNumberOfThreadsParallel) {
    for (const std::size_t patch : {3UL, 8UL, 11UL})
        for (const std::size_t rows : {1UL, 7UL, 8UL, 9UL, 57UL})
            for (const std::size_t most : {20UL, 1000UL}) {
                const auto expected = order_of_sums(rows, patch, most, 1);
                std::size_t sum = 0;
                for (const auto& pixel_row : expected) sum += pixel_row.size();
                EXPECT_EQ(sum, rows * patch);
                for (const int threads : {2, 5})
                    EXPECT_EQ(order_of_sums(rows, patch, most, threads), expected)
                        << patch << " " << rows << " " << threads;
            }
}

TEST(RowsOfPatches, PassOnAnExceptionWithoutWaitingForEverParallel) {
    for (const std::size_t bad : {0UL, 20UL, 56UL})
        EXPECT_THROW(for_each_row(
                         57, 8, 30, 3,
                         [bad](std::size_t row, int) {
                             if (row == bad) throw std::runtime_error("bad row");
                         },
                         [](std::size_t, int) {}, [](std::size_t) {}),
                     std::runtime_error);
}

// Row 1 fails while row 0 is still at work and row 2 has yet to wait for its turn: all of one band.
TEST(RowsOfPatches, AreNotLeftWaitingForARowThatFailedParallel) {
    std::atomic<bool> started{false}, failed{false}, added{false};
    const auto until = [](const std::atomic<bool>& flag) {  // not for ever: there may be fewer threads than rows
        for (int i = 0; i < 100'000 && !flag; ++i) std::this_thread::yield();
    };
    EXPECT_THROW(for_each_row(
                     3, 8, 30, 3,
                     [&](std::size_t row, int) {
                         if (row == 0) until(failed);
                         if (row == 1) {
                             until(started);
                             failed = true;
                             throw std::runtime_error("bad row");
                         }
                         if (row == 2) {
                             started = true;
                             until(added);
                         }
                     },
                     [&](std::size_t row, int) {
                         if (row == 0) added = true;
                     },
                     [](std::size_t) {}),
                 std::runtime_error);
}

}  // namespace
}  // namespace sbdl
