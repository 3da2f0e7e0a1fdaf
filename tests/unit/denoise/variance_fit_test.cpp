// The gain and the read noise of an image are inferred from the image; white noise has no gain.
#include "denoise/variance_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "denoise/whitening.hpp"
#include "poisson_image.hpp"
#include "sbdl/synth.hpp"

namespace sbdl {
namespace {

Matrix steps_of_counts(double least, double most) {
    return test::steps_of_counts(256, least, most);
}

// 62001 overlapping windows are worth some 3900 independent ones of 15 coefficients; about half are used. The relative
// standard deviation of the gain is below 1.5 %, that of the read variance below 3 % where it is a tenth of the
// variance. Bounds of four standard deviations: a false alarm in one of 10000 runs. The seeds are fixed.
TEST(VarianceFit, FindsGainAndReadNoise) {
    for (const double peak : {5.0, 30.0, 120.0})
        for (const double gain : {1.0, 20.0}) {
            const PoissonGaussian truth{gain, gain * gain * peak * 0.1, 0.0};
            const VarianceFit fit =
                fit_variance(test::with_poisson_noise(steps_of_counts(0.05 * peak, peak), truth, 1), {}, 1);
            ASSERT_TRUE(fit.found);
            EXPECT_TRUE(fit.grows());
            EXPECT_NEAR(fit.noise.gain / gain, 1.0, 0.06) << peak;
            EXPECT_NEAR(std::sqrt(fit.noise.read_variance / truth.read_variance), 1.0, 0.08) << peak;
            EXPECT_EQ(fit.noise.offset, 0.0);
        }
}

TEST(VarianceFit, FindsThemInAnImageWithEdgesAndTexture) {
    const Matrix counts = test::scaled_to(make_image(256, 256, false, 1).planes[0], 30.0);
    const VarianceFit fit = fit_variance(test::with_poisson_noise(counts, {4.0, 64.0, 0.0}, 2), {}, 1);
    ASSERT_TRUE(fit.grows());
    EXPECT_NEAR(fit.noise.gain, 4.0, 0.4);
    EXPECT_NEAR(std::sqrt(fit.noise.read_variance), 8.0, 0.8);
}

/// Spots with soft edges on a wide dark background: hardly any window is flat but those of the background.
Matrix spots(std::size_t side, double background, double peak, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix counts(side, side, background);
    for (int spot = 0; spot < 25; ++spot) {
        const double row = static_cast<double>(side) * numbers.uniform(),
                     col = static_cast<double>(side) * numbers.uniform();
        const double width = 2.0 + 6.0 * numbers.uniform(), height = peak * (0.3 + 0.7 * numbers.uniform());
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x)
                counts(y, x) +=
                    height *
                    std::exp(-0.5 *
                             (std::pow(static_cast<double>(y) - row, 2) + std::pow(static_cast<double>(x) - col, 2)) /
                             (width * width));
    }
    return counts;
}

// Windows on the slopes of the spots show how the noise grows. Those of the background alone do not: their brightness
// is nearly the same.
TEST(VarianceFit, FindsAGainInShadingOnADarkBackground) {
    for (const double peak : {50.0, 200.0})
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Matrix counts = spots(128, 0.03 * peak, 0.6 * peak, seed);
            const VarianceFit fit = fit_variance(test::with_poisson_noise(counts, {2.0, 0.0, 0.0}, seed), {}, 1);
            EXPECT_TRUE(fit.grows()) << peak << " " << seed;
            EXPECT_NEAR(fit.noise.gain, 2.0, 0.4) << peak << " " << seed;
        }
}

/// Means of Gaussian numbers over squares of this many pixels, scaled to variance 1.
Matrix smooth_numbers(std::size_t side, std::size_t square, test::Numbers& numbers) {
    Matrix white(side + square, side + square), smooth(side, side);
    for (std::size_t i = 0; i < white.size(); ++i) white.data()[i] = numbers.normal();
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x)
            for (std::size_t i = 0; i < square * square; ++i)
                smooth(y, x) += white(y + i / square, x + i % square) / static_cast<double>(square);
    return smooth;
}

// Grain of the image itself, stronger in some places than in others and where it is brighter: a line fits its mean, but
// it scatters about the line more than noise does.
TEST(VarianceFit, UnevenGrainIsNotNoise) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        test::Numbers numbers(seed);
        const Matrix light = spots(128, 20.0, 100.0, seed), strength = smooth_numbers(128, 5, numbers);
        Matrix image(128, 128);
        for (std::size_t i = 0; i < image.size(); ++i) {
            const double grain = 0.6 * light.data()[i] * std::exp(0.5 * strength.data()[i]);
            image.data()[i] = light.data()[i] + grain * numbers.normal() + 10.0 * numbers.normal();
        }
        EXPECT_FALSE(fit_variance(image, {}, 1).grows()) << seed;
    }
}

// The line only shows read variance - gain * offset. With the offset the read noise is known, too.
TEST(VarianceFit, AnOffsetIsKeptOrNoticed) {
    const PoissonGaussian truth{2.0, 9.0, 100.0};
    const Matrix noisy = test::with_poisson_noise(steps_of_counts(0.0, 40.0), truth, 3);
    const VarianceFit given = fit_variance(noisy, {.gain = {}, .read_noise = {}, .offset = 100.0}, 1);
    EXPECT_NEAR(given.noise.gain, 2.0, 0.1);
    EXPECT_NEAR(std::sqrt(given.noise.read_variance), 3.0, 0.3);
    const VarianceFit noticed = fit_variance(noisy, {}, 1);
    EXPECT_NEAR(noticed.noise.offset, 100.0, 2.0);  // the darkest stripe has no light
    EXPECT_NEAR(noticed.noise.intercept(), truth.intercept(), 8.0);
}

TEST(VarianceFit, WhatIsKnownIsKept) {
    const Matrix noisy = test::with_poisson_noise(steps_of_counts(2.0, 40.0), {2.0, 9.0, 0.0}, 4);
    const VarianceFit gain = fit_variance(noisy, {.gain = 2.0, .read_noise = {}, .offset = {}}, 1);
    EXPECT_EQ(gain.noise.gain, 2.0);
    EXPECT_NEAR(std::sqrt(gain.noise.read_variance), 3.0, 0.3);
    const VarianceFit read = fit_variance(noisy, {.gain = {}, .read_noise = 3.0, .offset = {}}, 1);
    EXPECT_DOUBLE_EQ(read.noise.read_variance, 9.0);
    EXPECT_NEAR(read.noise.gain, 2.0, 0.06);
    const VarianceFit both = fit_variance(noisy, {.gain = 5.0, .read_noise = 7.0, .offset = {}}, 1);
    EXPECT_EQ(both.noise.gain, 5.0);
    EXPECT_EQ(both.noise.read_variance, 49.0);
}

// Noise cut off at black looks weaker in the dark, as if it grew with brightness.
TEST(VarianceFit, ClippingIsNotMistakenForAGain) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        test::Numbers numbers(seed);
        Matrix noisy = make_image(192, 192, false, seed).planes[0];
        for (std::size_t i = 0; i < noisy.size(); ++i)
            noisy.data()[i] = std::clamp(std::round(noisy.data()[i] + 25.0 * numbers.normal()), 0.0, 255.0);
        EXPECT_FALSE(fit_variance(noisy, {}, 1).grows()) << seed;
    }
}

TEST(VarianceFit, ClippedNoiseIsSeenThrough) {
    Matrix noisy = test::with_poisson_noise(steps_of_counts(1.0, 40.0), {5.0, 225.0, 0.0}, 5);
    for (std::size_t i = 0; i < noisy.size(); ++i)
        noisy.data()[i] = std::clamp(std::round(noisy.data()[i]), 0.0, 255.0);
    const VarianceFit fit = fit_variance(noisy, {}, 1);
    EXPECT_NEAR(fit.noise.gain, 5.0, 0.5);
    EXPECT_NEAR(std::sqrt(fit.noise.read_variance), 15.0, 1.5);
}

// Few windows of blurred noise seem quiet, and where samples are clipped a steep curve goes through them.
TEST(VarianceFit, BlurredNoiseOfOneStrengthDoesNotGrow) {
    Autocovariance blurred;  // as by a Gaussian of half a pixel
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t col = 0; col < 3; ++col)
            blurred.at[row][col] = 225.0 * std::pow(0.27, static_cast<double>(row * row + col * col));
    bool steep = false;  // in one of the images at least, or nothing is tested
    for (const std::uint64_t seed : {1, 2, 3}) {
        Matrix noisy = make_image(224, 224, false, seed).planes[0];
        const Matrix noise = noise_like(blurred, noisy.rows(), noisy.cols(), seed, 1);
        for (std::size_t i = 0; i < noisy.size(); ++i)
            noisy.data()[i] = std::clamp(std::round(2.0 * noisy.data()[i] - 140.0 + noise.data()[i]), 0.0, 255.0);
        const VarianceFit fit = fit_variance(noisy, {}, 1);
        EXPECT_FALSE(fit.grows()) << seed;
        steep = steep || (fit.found && fit.sd_ratio > 1.5 && fit.significance > 6.0);
    }
    EXPECT_TRUE(steep);
}

// Zero is the most frequent count in the dark, but nothing was clipped.
TEST(VarianceFit, CountsOfZeroAreNotClipped) {
    for (const double gain : {1.0, 100.0}) {
        const VarianceFit fit =
            fit_variance(test::with_poisson_noise(steps_of_counts(0.1, 5.0), {gain, 0.0, 0.0}, 9), {}, 1);
        EXPECT_TRUE(fit.grows());
        EXPECT_NEAR(fit.noise.gain / gain, 1.0, 0.06);
        EXPECT_LE(std::sqrt(fit.noise.read_variance), 0.3 * gain);
    }
}

// White noise: the gain that is found is chance, within 6 standard deviations in all but one of 10^8 runs; texture that
// is brighter than its surroundings must not pass for noise either.
TEST(VarianceFit, WhiteNoiseDoesNotGrow) {
    for (const double sigma : {5.0, 25.0, 75.0})
        for (const std::uint64_t seed : {1, 2}) {
            const Image noisy = make_noisy(make_image(160, 160, false, seed), sigma, seed);
            EXPECT_FALSE(fit_variance(noisy.planes[0], {}, 1).grows()) << sigma;
        }
}

TEST(VarianceFit, AnImageWithoutBrightnessesHasNoLine) {
    const Matrix noisy = test::with_poisson_noise(Matrix(64, 64, 10.0), {1.0, 0.0, 0.0}, 6);
    EXPECT_FALSE(fit_variance(noisy, {}, 1).grows());
    EXPECT_FALSE(fit_variance(Matrix(64, 64, 3.0), {}, 1).found);
    EXPECT_FALSE(fit_variance(Matrix(7, 64, 3.0), {}, 1).found);
}

TEST(VarianceFit, IsTheSameForAnyNumberOfThreads) {
    const Matrix noisy = test::with_poisson_noise(steps_of_counts(2.0, 40.0), {2.0, 9.0, 0.0}, 7);
    EXPECT_EQ(fit_variance(noisy, {}, 1).noise.gain, fit_variance(noisy, {}, 3).noise.gain);
}

}  // namespace
}  // namespace sbdl
