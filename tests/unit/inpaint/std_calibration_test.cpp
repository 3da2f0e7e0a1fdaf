// The check of standard deviations on the image's own samples.
#include "inpaint/std_calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/incomplete_image.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

/// The factor for errors that are Gaussian with `times` the standard deviation, plus noise.
double factor_of(double times, double noise, Samples samples = Samples::f64, double sd_scale = 1.0) {
    test::Numbers numbers(81);
    Image image;
    image.samples = samples;
    image.planes.emplace_back(60, 600);
    for (std::size_t i = 0; i < image.planes[0].size(); ++i) image.planes[0].data()[i] = 100.0;
    const HeldOut held = hold_out(image, 600, 2)[0];  // half of all
    Image filled = held.image, std = held.image;
    for (std::size_t i = 0; i < filled.planes[0].size(); ++i) {
        const double sd = sd_scale * (1.0 + numbers.uniform());
        std.planes[0].data()[i] = sd;
        filled.planes[0].data()[i] =
            100.0 + times * sd * numbers.normals(1, 1)(0, 0) + noise * numbers.normals(1, 1)(0, 0);
    }
    StdCheck check(0.5);
    check.add(held, filled, std, noise);
    return check.factors().near;
}

// The shares of 18000 samples within a standard deviation, of which a quarter count as independent, have a standard
// error of 0.7 %, the factor one of about 1.5 %; the seeds are fixed.
TEST(StdFactor, IsThatOfTheErrors) {
    for (const double times : {0.7, 1.0, 2.5}) EXPECT_NEAR(factor_of(times, 0.0) / times, 1.0, 0.04);
    EXPECT_NEAR(factor_of(2.0, 0.7) / 2.0, 1.0, 0.05);
    EXPECT_NEAR(factor_of(1.0, 1.5), 1.0, 0.1);
}

// 1.15 over the fourth root of the observed share, up to the steps of 1 % in which it is looked for.
TEST(StdFactor, IsTheUsualOneWhereNoiseOrRoundingHidesTheErrors) {
    EXPECT_NEAR(factor_of(1.0, 0.0, Samples::u8, 0.01), 1.37, 0.02) << "integers are rounded as they are written";
    EXPECT_NEAR(factor_of(1.0, 100.0), 1.37, 0.1);
    EXPECT_NEAR(StdCheck(1.0).factors().near, 1.15, 0.02);
    EXPECT_NEAR(StdCheck(0.1).factors().near, 2.045, 0.03);
}

TEST(StdFactor, HasOneForTheInsideOfHoles) {
    test::Numbers numbers(82);
    HeldOut held;
    held.image.samples = Samples::f64;
    Matrix& seen = held.image.planes.emplace_back(40, 40, 7.0);
    held.at.emplace_back();
    held.samples.emplace_back();
    Image filled = held.image, std = held.image;
    // Columns 10 to 29 are held out. The three columns at each edge have errors of one standard deviation, others of
    // three.
    for (std::size_t row = 0; row < 40; ++row)
        for (std::size_t col = 10; col < 30; ++col) {
            const std::size_t i = row * 40 + col;
            const bool deep = col >= 13 && col < 27;
            held.at[0].push_back(i);
            held.samples[0].push_back(7.0);
            seen.data()[i] = std::numeric_limits<double>::quiet_NaN();
            std.planes[0].data()[i] = 0.1;
            filled.planes[0].data()[i] = 7.0 + (deep ? 0.3 : 0.1) * numbers.normals(1, 1)(0, 0);
        }
    StdCheck check(0.5);
    check.add(held, filled, std, 0.0);
    const StdFactors factors = check.factors();
    EXPECT_TRUE(factors.deep_known);
    EXPECT_NEAR(factors.near, 1.0, 0.15);  // 240 samples
    EXPECT_NEAR(factors.deep, 3.0, 0.3);   // 560
    EXPECT_EQ(factors.at(3), factors.near);
    EXPECT_EQ(factors.at(4), factors.deep);
}

TEST(StdFactor, OfEdgesIsUsedInsideWhereThereIsNoOther) {
    StdCheck check(0.5);
    HeldOut held;
    held.image.samples = Samples::f64;
    held.image.planes.emplace_back(1, 200, 0.0);
    held.at.emplace_back();
    held.samples.emplace_back();
    for (std::size_t i = 0; i < 200; i += 2) {
        held.at[0].push_back(i);
        held.samples[0].push_back(0.0);
        held.image.planes[0].data()[i] = std::numeric_limits<double>::quiet_NaN();
    }
    Image filled = held.image, std = held.image;
    for (const std::size_t i : held.at[0]) {
        filled.planes[0].data()[i] = 2.0;
        std.planes[0].data()[i] = 1.0;
    }
    check.add(held, filled, std, 0.0);
    EXPECT_FALSE(check.factors().deep_known);
    EXPECT_EQ(check.factors().deep, check.factors().near);
    EXPECT_NEAR(check.factors().near, 2.0, 0.02) << "all errors are equal";
}

}  // namespace
}  // namespace sbdl
