// The patches that are nearest to one of them, against all distances in double precision.
#include "denoise/groups/similar_patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Matrix random_guide(std::size_t height, std::size_t width, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix guide(height, width);
    for (std::size_t i = 0; i < guide.size(); ++i) guide.data()[i] = 100.0 * numbers.uniform();
    return guide;
}

Matrix scaled_guide(Matrix guide, double scale, double offset) {
    for (std::size_t i = 0; i < guide.size(); ++i) guide.data()[i] = scale * guide.data()[i] + offset;
    return guide;
}

struct Near {
    double distance;
    PatchPlace place;
};

std::tuple<std::uint32_t, std::uint32_t> from_the_top(PatchPlace place) {
    return {place.row, place.col};
}

/// Every patch of the window: the nearest first, of equally near ones the upper, then the left one.
std::vector<Near> by_distance(const Matrix& guide, std::size_t patch, std::size_t radius, PatchPlace own) {
    const auto near = [radius](std::size_t a, std::size_t b) { return (a > b ? a - b : b - a) <= radius; };
    std::vector<Near> all;
    for (std::uint32_t row = 0; row + patch <= guide.rows(); ++row)
        for (std::uint32_t col = 0; col + patch <= guide.cols(); ++col) {
            if (!near(row, own.row) || !near(col, own.col)) continue;
            double distance = 0.0;
            for (std::size_t i = 0; i < patch; ++i)
                for (std::size_t j = 0; j < patch; ++j) {
                    const double off = guide(row + i, col + j) - guide(own.row + i, own.col + j);
                    distance += off * off;
                }
            all.push_back({distance, {row, col}});
        }
    std::sort(all.begin(), all.end(), [](const Near& a, const Near& b) {
        return std::tuple(a.distance, from_the_top(a.place)) < std::tuple(b.distance, from_the_top(b.place));
    });
    return all;
}

std::vector<PatchPlace> sorted(std::vector<PatchPlace> places) {
    std::sort(places.begin(), places.end(),
              [](PatchPlace a, PatchPlace b) { return from_the_top(a) < from_the_top(b); });
    return places;
}

std::vector<PatchPlace> found_at(const Matrix& guide, std::size_t patch, std::size_t radius, PatchPlace own,
                                 std::size_t most) {
    SimilarPatches::Scratch scratch;
    std::vector<PatchPlace> found;
    const Plane plane(guide);
    SimilarPatches(plane, patch, radius).find(own, most, scratch, found);
    return sorted(found);
}

/// Compares with by_distance() at every place of the image: borders and corners, too.
void expect_nearest_everywhere(const Matrix& guide, std::size_t patch, std::size_t radius, std::size_t most) {
    const Plane plane(guide);
    const SimilarPatches similar(plane, patch, radius);
    SimilarPatches::Scratch scratch;
    std::vector<PatchPlace> found;
    for (std::uint32_t row = 0; row + patch <= guide.rows(); ++row)
        for (std::uint32_t col = 0; col + patch <= guide.cols(); ++col) {
            const std::vector<Near> all = by_distance(guide, patch, radius, {row, col});
            const std::size_t count = std::min(most, all.size());
            if (count < all.size()) {
                ASSERT_GT(all[count].distance, (1.0 + 1e-5) * all[count - 1].distance) << "too close for float";
            }
            std::vector<PatchPlace> want;
            for (std::size_t k = 0; k < count; ++k) want.push_back(all[k].place);
            similar.find({row, col}, most, scratch, found);
            ASSERT_EQ(sorted(found), sorted(want)) << row << ", " << col;
        }
}

TEST(SimilarPatches, AreThoseOfLeastDistance) {
    expect_nearest_everywhere(random_guide(14, 11, 1), 3, 3, 7);
    expect_nearest_everywhere(random_guide(9, 16, 2), 4, 2, 5);
    expect_nearest_everywhere(random_guide(9, 9, 3), 1, 4, 20);
}

TEST(SimilarPatches, TheWindowMayBeLargerThanTheImage) {
    expect_nearest_everywhere(random_guide(10, 8, 4), 3, 20, 12);
}

TEST(SimilarPatches, AreAsManyAsThereAre) {
    const Matrix guide = random_guide(10, 8, 5);
    expect_nearest_everywhere(guide, 3, 1, 50);
    EXPECT_EQ(found_at(guide, 3, 1, {0, 0}, 50).size(), 4U);
    EXPECT_EQ(found_at(guide, 3, 1, {7, 5}, 50).size(), 4U);
    EXPECT_EQ(found_at(guide, 3, 1, {7, 2}, 50).size(), 6U);
    EXPECT_EQ(found_at(guide, 3, 1, {3, 3}, 50).size(), 9U);
    EXPECT_EQ(found_at(guide, 3, 1, {3, 3}, 9).size(), 9U);
    EXPECT_EQ(found_at(guide, 3, 20, {3, 3}, 50).size(), 48U);
}

TEST(SimilarPatches, AnImageOfOnePatchHasOne) {
    const std::vector<PatchPlace> itself{{0, 0}};
    EXPECT_EQ(found_at(random_guide(6, 6, 6), 6, 20, {0, 0}, 50), itself);
    EXPECT_EQ(found_at(random_guide(6, 6, 6), 6, 0, {0, 0}, 1), itself);
}

TEST(SimilarPatches, OfEquallyNearOnesTheUpperThenTheLeftAreTakenAfterThePatchItself) {
    const Matrix flat(12, 12, 7.0);
    EXPECT_EQ(found_at(flat, 4, 2, {5, 6}, 1), (std::vector<PatchPlace>{{5, 6}}));
    EXPECT_EQ(found_at(flat, 4, 2, {5, 6}, 4), (std::vector<PatchPlace>{{3, 4}, {3, 5}, {3, 6}, {5, 6}}));
    EXPECT_EQ(found_at(flat, 4, 2, {5, 6}, 7),
              (std::vector<PatchPlace>{{3, 4}, {3, 5}, {3, 6}, {3, 7}, {3, 8}, {4, 4}, {5, 6}}));
    Matrix stripes(12, 12);
    for (std::size_t i = 0; i < stripes.size(); ++i) stripes.data()[i] = static_cast<double>(i % 2);
    EXPECT_EQ(found_at(stripes, 4, 1, {5, 6}, 5), (std::vector<PatchPlace>{{4, 5}, {4, 6}, {4, 7}, {5, 6}, {6, 6}}))
        << "the three of its own phase, then the others from the top left";
}

// Distances are sums of floats: their squares must neither vanish nor overflow, and an offset must not swallow them.
TEST(SimilarPatches, UnitsAndOffsetsDoNotMatter) {
    const Matrix guide = random_guide(12, 10, 7);
    expect_nearest_everywhere(scaled_guide(guide, 1e-60, 0.0), 3, 4, 9);
    expect_nearest_everywhere(scaled_guide(guide, 1e58, 0.0), 3, 4, 9);
    expect_nearest_everywhere(scaled_guide(guide, 1.0, 1e9), 3, 4, 9);
    expect_nearest_everywhere(scaled_guide(guide, -0.01, -1e5), 3, 4, 9);
}

}  // namespace
}  // namespace sbdl
