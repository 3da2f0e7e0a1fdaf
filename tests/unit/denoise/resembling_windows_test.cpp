// Windows that look alike show the noise, clipped or not; elsewhere a bound.
#include "denoise/resembling_windows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sbdl/synth.hpp"
#include "unit/denoise/noisy_planes.hpp"

namespace sbdl {
namespace {

using test::clipped;
using test::tiles;
using test::with_noise;

double bound(const Matrix& plane, int threads = 1) {
    return noise_of_resembling_windows(plane, {&plane, 1}, threads);
}

// The quartile of 400 windows with 32 differences each scatters by 2 %, a standard deviation by half as much: 5 % is
// exceeded in fewer than one of a thousand runs. The seed is fixed.
TEST(ResemblingWindows, ShowTheNoiseOfWhatRepeats) {
    EXPECT_NEAR(bound(with_noise(tiles(200), 25.0, 1)) / 25.0, 1.0, 0.05);
    EXPECT_NEAR(bound(with_noise(Matrix(200, 200, 90.0), 4.0, 2)) / 4.0, 1.0, 0.05);
    EXPECT_EQ(bound(tiles(200)), 0.0);
}

// By half of the noise if the paper is at the end of the scale. The correction is that of a flat window.
TEST(ResemblingWindows, MakeUpForClippedNoise) {
    EXPECT_NEAR(bound(clipped(with_noise(Matrix(200, 200, 255.0), 20.0, 3))) / 20.0, 1.0, 0.08);
    EXPECT_NEAR(bound(clipped(with_noise(Matrix(200, 200, 240.0), 20.0, 3))) / 20.0, 1.0, 0.08);
}

TEST(ResemblingWindows, BoundTheNoiseOfAnyImage) {
    const Matrix truth = make_image(256, 256, false, 1).planes[0];
    for (const double sigma : {5.0, 25.0}) EXPECT_GT(bound(with_noise(truth, sigma, 4)) / sigma, 0.97) << sigma;
}

TEST(ResemblingWindows, SayNothingWhereTooFewCanBeCompared) {
    EXPECT_TRUE(std::isinf(bound(with_noise(Matrix(15, 200, 90.0), 4.0, 2)))) << "too small";
    EXPECT_TRUE(std::isinf(bound(Matrix(200, 200, 90.0)))) << "constant";
}

// A window without noise differs from a noisy one by half as much as another noisy one does.
TEST(ResemblingWindows, AreNotComparedWithConstantOnes) {
    Matrix noisy = with_noise(Matrix(200, 200, 90.0), 10.0, 1);
    for (std::size_t i = 0; i < 200; ++i)
        for (std::size_t j = 0; j < 200; ++j)
            if (j % 48 < 24) noisy(i, j) = 90.0;
    EXPECT_NEAR(bound(noisy) / 10.0, 1.0, 0.06);
}

TEST(ResemblingWindows, DoNotDependOnThreads) {
    const Matrix noisy = with_noise(tiles(100), 25.0, 1);
    EXPECT_EQ(bound(noisy), bound(noisy, 3));
}

// The windows that differ least are all in the dark half, where the noise is 10.
TEST(ResemblingWindows, BoundTheNoiseInTheLight) {
    Matrix dark = with_noise(tiles(200), 10.0, 8), light = with_noise(tiles(200), 30.0, 9);
    for (std::size_t i = 0; i < 200; ++i)
        for (std::size_t j = 100; j < 200; ++j) dark(i, j) = 300.0 + light(i, j);
    EXPECT_NEAR(bound(dark) / 30.0, 1.0, 0.07);
}

}  // namespace
}  // namespace sbdl
