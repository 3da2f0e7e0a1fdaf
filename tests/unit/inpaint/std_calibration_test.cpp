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

/// The factor for errors that are Gaussian with `times` the standard deviation, plus noise.
double factor_of(double times, double noise, Samples samples = Samples::f64, double sd_scale = 1.0) {
    test::Numbers numbers(81);
    Image image;
    image.samples = samples;
    image.planes.emplace_back(60, 600);
    for (std::size_t i = 0; i < image.planes[0].size(); ++i) image.planes[0].data()[i] = 100.0;
    const HeldOut held = hold_out(image, 600, 2)[0];
    Image filled = held.image, std = held.image;
    for (std::size_t i = 0; i < filled.planes[0].size(); ++i) {
        const double sd = sd_scale * (1.0 + numbers.uniform());
        std.planes[0].data()[i] = sd;
        filled.planes[0].data()[i] =
            100.0 + times * sd * numbers.normals(1, 1)(0, 0) + noise * numbers.normals(1, 1)(0, 0);
    }
    StdCheck check;
    check.add(held, filled, std, noise);
    return check.factor();
}

// Of 9000 samples the quantile has a relative standard error about 1 %; the seeds are fixed.
TEST(StdFactor, IsThatOfTheErrors) {
    for (const double times : {0.7, 1.0, 2.5}) EXPECT_NEAR(factor_of(times, 0.0) / times, 1.0, 0.04);
    EXPECT_NEAR(factor_of(2.0, 0.7) / 2.0, 1.0, 0.05);
    EXPECT_NEAR(factor_of(1.0, 1.5), 1.0, 0.08);
    EXPECT_EQ(factor_of(0.1, 0.0), 0.5);
    EXPECT_EQ(factor_of(9.0, 0.0), 4.0);
    // Integers are written rounded: errors of a hundredth vanish.
    EXPECT_EQ(factor_of(1.0, 0.0, Samples::u8, 0.01), 0.5);
}

}  // namespace
}  // namespace sbdl
