// Which observed samples are held out.
#include "inpaint/held_out.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inpaint/observed.hpp"
#include "sbdl/incomplete_image.hpp"

namespace sbdl {
namespace {

constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

Image image_of(std::size_t planes, std::size_t height, std::size_t width) {
    Image image;
    image.samples = Samples::f64;
    for (std::size_t p = 0; p < planes; ++p) {
        Matrix& plane = image.planes.emplace_back(height, width);
        for (std::size_t i = 0; i < plane.size(); ++i)
            plane.data()[i] = i % 3 == 0 ? not_seen : static_cast<double>(1000 * p + i);
    }
    return image;
}

TEST(HoldOut, TakesOneOfSoManyObservedSamplesOfEachQuarter) {
    const Image image = image_of(1, 70, 131);
    const std::vector<HeldOut> parts = hold_out(image, 30, 5);
    ASSERT_EQ(parts.size(), 4U);
    for (std::size_t part = 0; part < 4; ++part) {
        const HeldOut& held = parts[part];
        const std::size_t top = (part < 2 ? 0 : 35) + 2, left = (part % 2 == 0 ? 0 : 65) + 17;
        ASSERT_EQ(held.image.height(), 30U);
        ASSERT_EQ(held.image.width(), 30U);
        std::size_t observed = 0;
        for (std::size_t row = 0; row < 30; ++row)
            for (std::size_t col = 0; col < 30; ++col)
                observed += std::isnan(image.planes[0](top + row, left + col)) ? 0 : 1;
        EXPECT_EQ(held.at[0].size(), observed / 5);
        EXPECT_EQ(count_missing(held.image), 900 - observed + held.at[0].size());
        for (std::size_t k = 0; k < held.at[0].size(); ++k) {
            const std::size_t i = held.at[0][k];
            EXPECT_EQ(held.samples[0][k], image.planes[0](top + i / 30, left + i % 30));
            EXPECT_TRUE(std::isnan(held.image.planes[0].data()[i]));
        }
    }
    EXPECT_EQ(hold_out(image_of(1, 63, 100), 200, 2).size(), 2U) << "short sides are not divided";
}

TEST(HoldOut, TakesWholePixelsWhereWholeOnesAreMissing) {
    Image image = image_of(3, 30, 30);
    const HeldOut whole = hold_out(image, 30, 7)[0];
    EXPECT_EQ(whole.at[1], whole.at[0]);
    EXPECT_EQ(whole.at[2], whole.at[0]);
    image.planes[2].data()[1] = not_seen;
    EXPECT_NE(hold_out(image, 30, 7)[0].at[2], whole.at[0]);
}

TEST(HoldOut, IsEmptyWhereItCannotTell) {
    EXPECT_TRUE(hold_out(image_of(1, 20, 20), 20, 7).empty());
    EXPECT_EQ(hold_out(image_of(1, 40, 40), 40, 7).size(), 1U);
    Image dark = image_of(3, 40, 40);
    dark.planes[2] = Matrix(40, 40, not_seen);
    EXPECT_TRUE(hold_out(dark, 40, 7).empty());
}

/// One plane without a single sample missing, but for a square whose first pixel is at this row and column.
Image with_square(std::size_t side, std::size_t row, std::size_t col, std::size_t square) {
    Image image;
    image.samples = Samples::f64;
    Matrix& plane = image.planes.emplace_back(side, side);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = static_cast<double>(i);
    for (std::size_t r = row; r < row + square; ++r)
        for (std::size_t c = col; c < col + square; ++c) plane(r, c) = not_seen;
    return image;
}

TEST(HoldOut, TakesTheShapeOfAHole) {
    // The hole is in the second quarter, which itself has no other to take the shape of.
    const Image image = with_square(100, 10, 70, 12);
    const std::vector<HeldOut> parts = hold_out(image, 40, 7);
    ASSERT_EQ(parts.size(), 3U);
    for (const HeldOut& part : parts) {
        ASSERT_EQ(part.at[0].size(), 144U);
        const std::size_t first = part.at[0].front(), last = part.at[0].back();
        EXPECT_EQ(last / 40 - first / 40, 11U);
        EXPECT_EQ(last % 40 - first % 40, 11U);
        EXPECT_EQ(distances_to_observed(observed_samples(part.image)[0], 40)[first + 5 * 40 + 5], 6U);
    }
    const std::size_t first = parts[0].at[0][0];
    EXPECT_EQ(parts[0].samples[0][0], image.planes[0](5 + first / 40, 5 + first % 40));
}

TEST(HoldOut, ScattersWhereAHoleInAnotherPlaceWouldTellNothing) {
    // An undivided image has no other place.
    const std::vector<HeldOut> parts = hold_out(with_square(60, 24, 24, 12), 60, 7);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].at[0].size(), (3600U - 144U) / 7U);
}

TEST(HoldOut, HolesAreNotScatteredPixels) {
    EXPECT_TRUE(has_holes(with_square(40, 5, 5, 5)));
    EXPECT_TRUE(has_holes(with_square(40, 5, 5, 4))) << "a quarter is not beside an observed sample";
    EXPECT_FALSE(has_holes(with_square(40, 5, 5, 3))) << "a ninth";
    EXPECT_FALSE(has_holes(with_square(40, 0, 0, 36))) << "most is missing";
    EXPECT_FALSE(has_holes(image_of(1, 40, 40)));
    EXPECT_FALSE(has_holes(with_square(40, 0, 0, 0))) << "nothing is missing";
}

TEST(Distances, AreInRowsOrColumnsWhicheverAreMore) {
    // clang-format off
    const Observed observed{0, 0, 0, 0, 0,
                            0, 1, 0, 0, 0,
                            0, 0, 0, 0, 0,
                            0, 0, 0, 0, 1};
    EXPECT_EQ(distances_to_observed(observed, 5), (std::vector<std::uint16_t>{1, 1, 1, 2, 3,
                                                                             1, 0, 1, 2, 2,
                                                                             1, 1, 1, 1, 1,
                                                                             2, 2, 2, 1, 0}));
    // clang-format on
    EXPECT_EQ(distances_to_observed(Observed(4), 2), std::vector<std::uint16_t>(4, 65535));
    EXPECT_EQ(distances_to_observed({1, 0, 0, 0, 0}, 1), (std::vector<std::uint16_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace sbdl
