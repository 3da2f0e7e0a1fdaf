// The noise of a picture from its calm places: right within a few per cent, with texture or without, in any units.
#include "denoise/calm_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Matrix with_noise(Matrix plane, double sigma, std::uint64_t seed) {
    test::Numbers numbers(seed);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += sigma * numbers.normal();
    return plane;
}

// The calmest 1025 of 14641 overlapping windows are worth about 30 independent ones of 15 coefficients: the relative
// standard deviation of the estimate is about 3 %, so 10 % is a false alarm in one of a thousand runs. The seed is
// fixed.
TEST(CalmNoise, FindsPureNoise) {
    for (const double sigma : {1e-4, 1.0, 75.0, 1e6})
        EXPECT_NEAR(calm_noise(with_noise(Matrix(128, 128, 3.0 * sigma), sigma, 1)) / sigma, 1.0, 0.10) << sigma;
}

TEST(CalmNoise, IsNotFooledByEdgesAndTexture) {
    const Matrix truth = make_picture(256, 256, false, 1).planes[0];
    for (const double sigma : {5.0, 15.0, 50.0})
        EXPECT_NEAR(calm_noise(with_noise(truth, sigma, 2)) / sigma, 1.0, 0.06) << sigma;
}

TEST(CalmNoise, ScalesWithThePicture) {
    const Matrix noisy = with_noise(make_picture(64, 64, false, 1).planes[0], 10.0, 3);
    Matrix scaled = noisy;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] = 0.125 * scaled.data()[i];
    EXPECT_NEAR(calm_noise(scaled), 0.125 * calm_noise(noisy), 1e-9);
}

TEST(CalmNoise, IsZeroWhereThereIsNone) {
    EXPECT_EQ(calm_noise(Matrix(32, 32, 7.0)), 0.0);
    EXPECT_EQ(calm_noise(Matrix(7, 100, 7.0)), 0.0);
    Matrix ramp(64, 64);
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j) ramp(i, j) = static_cast<double>(i + 2 * j);
    EXPECT_LT(calm_noise(ramp), 0.3);
}

TEST(CalmNoise, IgnoresWhatIsClippedFlat) {
    Matrix noisy = with_noise(Matrix(128, 128, 128.0), 10.0, 4);
    for (std::size_t i = 0; i < 128; ++i)
        for (std::size_t j = 0; j < 64; ++j) noisy(i, j) = 255.0;
    EXPECT_NEAR(calm_noise(noisy), 10.0, 0.6);
}

TEST(CalmNoise, ADrawingHasNone) {
    Matrix drawing(48, 48, 255.0);
    for (std::size_t i = 20; i < 30; ++i)
        for (std::size_t j = 20; j < 30; ++j) drawing(i, j) = 0.0;
    EXPECT_EQ(calm_noise(drawing), 0.0);
}

}  // namespace
}  // namespace sbdl
