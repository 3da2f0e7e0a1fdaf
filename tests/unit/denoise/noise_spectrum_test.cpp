// Whether noise is white, and its autocovariance, from the image itself.
#include "denoise/noise_spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "denoise/whitening.hpp"
#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

double anywhere(std::size_t, std::size_t) {
    return std::numeric_limits<double>::infinity();
}

/// Of white noise blurred by (share, 1 - 2 share, share) along both axes, scaled to this variance.
Autocovariance blurred(double share, double variance) {
    const double centre = 1.0 - 2.0 * share;
    const std::array<double, 3> along{centre * centre + 2.0 * share * share, 2.0 * share * centre, share * share};
    Autocovariance result;
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 3; ++x) result.at[y][x] = variance * along[y] * along[x] / (along[0] * along[0]);
    return result;
}

Matrix plus(Matrix plane, const Matrix& noise) {
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += noise.data()[i];
    return plane;
}

Matrix white(std::size_t side, double sigma, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix noise(side, side);
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] = sigma * numbers.normal();
    return noise;
}

// A spectrum from half of 14641 overlapping windows: each coefficient's power is known to about 6 %, the ratio of bands
// of 15 and 24 coefficients to 2 %.
TEST(NoiseSpectrum, WhiteNoiseIsFlat) {
    const NoiseSpectrum spectrum = estimate_spectrum(white(128, 7.0, 1), anywhere, 1);
    ASSERT_TRUE(spectrum.found);
    EXPECT_NEAR(spectrum.flatness(), 1.0, 0.08);
    EXPECT_FALSE(spectrum.correlated());
    EXPECT_GT(spectrum.used_share, 0.4);
    EXPECT_NEAR(std::sqrt(spectrum.autocovariance().variance()), 7.0, 0.35);
    EXPECT_NEAR(spectrum.autocovariance().neighbour_correlation(), 0.0, 0.05);
}

// Least squares find a variance below zero, and neighbours that share 52 times as much.
TEST(NoiseSpectrum, RegularStripesAreNotTakenForCorrelatedNoise) {
    Matrix stripes(192, 192);
    for (std::size_t i = 0; i < 192; ++i)
        for (std::size_t j = 0; j < 192; ++j) {
            const double across = static_cast<double>(j) + 0.31 * static_cast<double>(i);
            stripes(i, j) = 128.0 + 90.0 * std::sin(2.0 * std::numbers::pi * across / 5.3);
        }
    const NoiseSpectrum spectrum = estimate_spectrum(plus(stripes, white(192, 2.0, 1)), anywhere, 1);
    EXPECT_FALSE(spectrum.flat());
    EXPECT_FALSE(spectrum.autocovariance().possible());
    EXPECT_FALSE(spectrum.correlated());
}

TEST(NoiseSpectrum, NeighboursCannotShareMoreThanTheVariance) {
    Autocovariance noise = blurred(0.2, 4.0);
    EXPECT_TRUE(noise.possible());
    noise.at[0][1] = -4.1;
    EXPECT_FALSE(noise.possible());
    EXPECT_FALSE(Autocovariance().possible());
}

TEST(NoiseSpectrum, WhiteNoiseInAnImageIsNotTakenForCorrelated) {
    for (const double sigma : {5.0, 25.0})
        for (const std::uint64_t seed : {1, 2}) {
            const Image noisy = make_noisy(make_image(160, 160, false, seed), sigma, seed);
            EXPECT_FALSE(estimate_spectrum(noisy.planes[0], anywhere, 1).correlated()) << sigma;
        }
}

TEST(NoiseSpectrum, FindsTheCovarianceOfCorrelatedNoise) {
    const Autocovariance truth = blurred(0.2, 225.0);
    for (const bool image : {false, true}) {
        const Matrix noise = noise_like(truth, 192, 192, 3, 1);
        const Matrix below = image ? make_image(192, 192, false, 1).planes[0] : Matrix(192, 192, 100.0);
        const NoiseSpectrum spectrum = estimate_spectrum(plus(below, noise), anywhere, 1);
        EXPECT_TRUE(spectrum.correlated()) << image;
        const Autocovariance found = spectrum.autocovariance();
        EXPECT_NEAR(std::sqrt(found.variance()), 15.0, image ? 2.5 : 0.8);
        EXPECT_NEAR(found.neighbour_correlation(), truth.neighbour_correlation(), image ? 0.08 : 0.04);
    }
}

// Windows without room, here the upper half, do not count.
TEST(NoiseSpectrum, ClippedWindowsDoNotCount) {
    Matrix plane = plus(Matrix(128, 128, 100.0), white(128, 10.0, 4));
    for (std::size_t i = 0; i < plane.size() / 2; ++i) plane.data()[i] = 100.0 + 0.1 * (plane.data()[i] - 100.0);
    const auto room = [](std::size_t row, std::size_t) { return row < 64 ? 0.0 : 1000.0; };
    const NoiseSpectrum spectrum = estimate_spectrum(plane, room, 1);
    EXPECT_NEAR(std::sqrt(spectrum.autocovariance().variance()), 10.0, 1.0);
}

TEST(NoiseSpectrum, NothingIsFoundInAnImageThatIsTooSmallOrConstant) {
    EXPECT_FALSE(estimate_spectrum(Matrix(7, 40, 1.0), anywhere, 1).found);
    EXPECT_FALSE(estimate_spectrum(Matrix(12, 12, 1.0), anywhere, 1).found);
    EXPECT_FALSE(estimate_spectrum(Matrix(64, 64, 1.0), anywhere, 1).correlated());
}

TEST(NoiseSpectrum, IsTheSameForAnyNumberOfThreads) {
    const Matrix noise = noise_like(blurred(0.2, 9.0), 64, 64, 3, 1);
    EXPECT_EQ(estimate_spectrum(noise, anywhere, 1).power, estimate_spectrum(noise, anywhere, 3).power);
}

// The means of two by two white pixels have a quarter of the variance and stay white.
TEST(Autocovariance, OfHalfTheSize) {
    Autocovariance noise;
    noise.at[0][0] = 8.0;
    const Autocovariance half = noise.halved();
    EXPECT_DOUBLE_EQ(half.at[0][0], 2.0);
    EXPECT_DOUBLE_EQ(half.at[0][1], 0.0);
    const Autocovariance wide = blurred(0.3, 1.0);
    double sum = 0.0;  // by brute force: all pairs of pixels of two blocks side by side
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            sum += wide.at[static_cast<std::size_t>(std::abs(a / 2 - b / 2))]
                          [static_cast<std::size_t>(std::abs(a % 2 - (2 + b % 2)))] /
                   16.0;
    EXPECT_NEAR(wide.halved().at[0][1], sum, 1e-12);
}

}  // namespace
}  // namespace sbdl
