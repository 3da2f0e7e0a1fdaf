// The noise of an incomplete plane, from smooth shading with known noise. The windows that are used have about 2500
// degrees of freedom that are independent: the standard error is 1.5 %, and 8 % is more than five of them.
#include "inpaint/gappy_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random/stream.hpp"

namespace sbdl {
namespace {

void expect_noise(double share, double tolerance = 0.08) {
    constexpr double sigma = 7.0;
    Matrix plane(160, 160);
    Observed observed(plane.size());
    DrawStream draw(2, {.purpose = Purpose::test});
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j) {
            const bool busy = j > 110;  // texture, in which the noise cannot be seen
            const double texture = busy ? 60.0 * std::sin(2.1 * static_cast<double>(i + 2 * j)) : 0.0;
            plane(i, j) = 100.0 + 40.0 * std::sin(0.03 * static_cast<double>(i)) + texture + sigma * draw.normal();
            observed[i * plane.cols() + j] = draw.uniform() < share ? 1 : 0;
        }
    for (std::size_t k = 0; k < plane.size(); ++k)
        if (observed[k] == 0) plane.data()[k] = std::nan("");
    const std::optional<double> found = estimate_gappy_noise(plane, observed, 1);
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, sigma, tolerance * sigma);
    EXPECT_EQ(found, estimate_gappy_noise(plane, observed, 3));
}

TEST(GappyNoise, HalfObserved) {
    expect_noise(0.5);
}
TEST(GappyNoise, AFifthObserved) {
    expect_noise(0.2);
}
TEST(GappyNoise, NearlyAllObserved) {
    expect_noise(0.95);
}

// Windows of 40 x 40 pixels are hardly flat, and there are few.
TEST(GappyNoise, AFiftiethObserved) {
    expect_noise(0.02, 0.3);
}

TEST(GappyNoise, TooFewSamplesTellNothing) {
    Observed few(64 * 64);
    for (std::size_t i = 0; i < few.size(); i += 400) few[i] = 1;
    EXPECT_EQ(estimate_gappy_noise(Matrix(64, 64, 3.0), few, 1), std::nullopt);
}

TEST(GappyNoise, AConstantPlaneHasNone) {
    EXPECT_EQ(estimate_gappy_noise(Matrix(64, 64, 3.0), Observed(64 * 64, 1), 1), 0.0);
}

/// Squares of 32 pixels in five greys.
TEST(GappyNoise, ADrawingHasNone) {
    Matrix plane(128, 128);
    Observed observed(plane.size());
    DrawStream draw(3, {.purpose = Purpose::test});
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j) {
            plane(i, j) = 40.0 / 255.0 * static_cast<double>((i / 32 * 4 + j / 32) % 5);
            observed[i * plane.cols() + j] = draw.uniform() < 0.5 ? 1 : 0;
        }
    EXPECT_EQ(estimate_gappy_noise(plane, observed, 1), 0.0);
}

TEST(GappyNoise, AConstantBorderIsLeftOut) {
    Matrix plane(128, 128, 90.0 / 255.0);
    DrawStream draw(4, {.purpose = Purpose::test});
    for (std::size_t i = 16; i < 112; ++i)
        for (std::size_t j = 8; j < 120; ++j) plane(i, j) = (100.0 + 5.0 * draw.normal()) / 255.0;
    const std::optional<double> found = estimate_gappy_noise(plane, Observed(plane.size(), 1), 1);
    ASSERT_TRUE(found);
    EXPECT_NEAR(255.0 * *found, 5.0, 0.5);
}

}  // namespace
}  // namespace sbdl
