// The check of standard deviations on the image's own samples.
#include "inpaint/std_calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/incomplete_image.hpp"
#include "support/random_problem.hpp"

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

TEST(HoldOut, TakesOneOfSoManyObservedSamplesOfTheMiddle) {
    const Image image = image_of(1, 20, 31);
    const HeldOut held = hold_out(image, 15, 5);
    ASSERT_EQ(held.image.height(), 15U);
    ASSERT_EQ(held.image.width(), 15U);
    std::size_t observed = 0;
    for (std::size_t row = 0; row < 15; ++row)
        for (std::size_t col = 0; col < 15; ++col) observed += std::isnan(image.planes[0](2 + row, 8 + col)) ? 0 : 1;
    EXPECT_EQ(held.at[0].size(), observed / 5);
    EXPECT_EQ(count_missing(held.image), 225 - observed + held.at[0].size());
    for (std::size_t k = 0; k < held.at[0].size(); ++k) {
        const std::size_t i = held.at[0][k];
        EXPECT_EQ(held.samples[0][k], image.planes[0](2 + i / 15, 8 + i % 15));
        EXPECT_TRUE(std::isnan(held.image.planes[0].data()[i]));
    }
    EXPECT_EQ(hold_out(image, 100, 5).image.width(), 31U);
}

TEST(HoldOut, TakesWholePixelsWhereWholeOnesAreMissing) {
    Image image = image_of(3, 20, 20);
    const HeldOut whole = hold_out(image, 20, 7);
    EXPECT_EQ(whole.at[1], whole.at[0]);
    EXPECT_EQ(whole.at[2], whole.at[0]);
    image.planes[2].data()[1] = not_seen;
    EXPECT_NE(hold_out(image, 20, 7).at[2], whole.at[0]);
}

TEST(HoldOut, SaysWhetherItIsEnough) {
    EXPECT_FALSE(hold_out(image_of(1, 20, 20), 20, 7).enough());
    EXPECT_TRUE(hold_out(image_of(1, 40, 40), 40, 7).enough());
    Image dark = image_of(3, 40, 40);
    dark.planes[2] = Matrix(40, 40, not_seen);
    EXPECT_FALSE(hold_out(dark, 40, 7).enough());
}

/// The factor for errors that are Gaussian with `times` the standard deviation, plus noise.
double factor_of(double times, double noise, Samples samples = Samples::f64, double sd_scale = 1.0) {
    test::Numbers numbers(81);
    Image image;
    image.samples = samples;
    image.planes.emplace_back(200, 200);
    for (std::size_t i = 0; i < image.planes[0].size(); ++i) image.planes[0].data()[i] = 100.0;
    const HeldOut held = hold_out(image, 200, 2);
    Image filled = image, std = image;
    for (std::size_t i = 0; i < image.planes[0].size(); ++i) {
        const double sd = sd_scale * (1.0 + numbers.uniform());
        std.planes[0].data()[i] = sd;
        filled.planes[0].data()[i] =
            100.0 + times * sd * numbers.normals(1, 1)(0, 0) + noise * numbers.normals(1, 1)(0, 0);
    }
    return std_factor(held, filled, std, noise);
}

// Of 20000 samples the quantile has a relative standard error below 1 %; the seeds are fixed.
TEST(StdFactor, IsThatOfTheErrors) {
    for (const double times : {0.7, 1.0, 2.5}) EXPECT_NEAR(factor_of(times, 0.0) / times, 1.0, 0.03);
    EXPECT_NEAR(factor_of(2.0, 0.7) / 2.0, 1.0, 0.05);
    EXPECT_EQ(factor_of(0.1, 0.0), 0.5);
    EXPECT_EQ(factor_of(9.0, 0.0), 4.0);
    // Integers are written rounded: errors of a hundredth vanish.
    EXPECT_EQ(factor_of(1.0, 0.0, Samples::u8, 0.01), 0.5);
}

}  // namespace
}  // namespace sbdl
