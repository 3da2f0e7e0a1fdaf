// Noise estimation from flat regions: right within a few per cent, with texture or without, in any units.
#include "denoise/noise_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"
#include "unit/denoise/noisy_planes.hpp"

namespace sbdl {
namespace {

using test::clipped;
using test::with_noise;

double noise_in(const Matrix& plane) {
    return estimate_noise(plane, {&plane, 1});
}

// About half of the 14641 overlapping windows have no more power than noise has on average. They are worth 450
// independent ones of 15 coefficients or more: the relative standard deviation of the estimate is at most 0.9 %, so a
// bound of 3 % gives a false alarm in one of a thousand runs. The seed is fixed.
TEST(NoiseEstimate, FindsPureNoise) {
    for (const double sigma : {1e-4, 1.0, 75.0, 1e6})
        EXPECT_NEAR(noise_in(with_noise(Matrix(128, 128, 3.0 * sigma), sigma, 1)) / sigma, 1.0, 0.03) << sigma;
}

TEST(NoiseEstimate, IgnoresEdgesAndTexture) {
    const Matrix truth = make_image(256, 256, false, 1).planes[0];
    for (const double sigma : {5.0, 15.0, 50.0})
        EXPECT_NEAR(noise_in(with_noise(truth, sigma, 2)) / sigma, 1.0, 0.06) << sigma;
}

TEST(NoiseEstimate, ScalesWithTheImage) {
    const Matrix noisy = with_noise(make_image(64, 64, false, 1).planes[0], 10.0, 3);
    Matrix scaled = noisy;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] = 0.125 * scaled.data()[i];
    EXPECT_NEAR(noise_in(scaled), 0.125 * noise_in(noisy), 1e-9);
}

TEST(NoiseEstimate, IsZeroWithoutNoise) {
    EXPECT_EQ(noise_in(Matrix(32, 32, 7.0)), 0.0);
    EXPECT_EQ(noise_in(Matrix(7, 100, 7.0)), 0.0);
    Matrix ramp(64, 64);
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j) ramp(i, j) = static_cast<double>(i + 2 * j);
    EXPECT_LT(noise_in(ramp), 0.3);
}

TEST(NoiseEstimate, IgnoresConstantRegions) {
    Matrix noisy = with_noise(Matrix(128, 128, 128.0), 10.0, 4);
    for (std::size_t i = 0; i < 128; ++i)
        for (std::size_t j = 0; j < 64; ++j) noisy(i, j) = 255.0;
    EXPECT_NEAR(noise_in(noisy), 10.0, 0.6);
}

void add_frame(Matrix& plane, std::size_t width, double value) {
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j)
            if (std::min({i, j, plane.rows() - 1 - i, plane.cols() - 1 - j}) < width) plane(i, j) = value;
}

// A frame of any brightness has no noise, and a window that overlaps it has too little.
TEST(NoiseEstimate, IgnoresAFrame) {
    const double sigma = 15.0;
    for (const double value : {0.0, 128.0, 255.0})
        for (const std::size_t width : {8U, 16U, 40U}) {
            Matrix noisy = with_noise(make_image(192, 192, false, 1).planes[0], sigma, 5);
            add_frame(noisy, width, value);
            EXPECT_NEAR(noise_in(noisy) / sigma, 1.0, 0.06) << value << ", " << width;
            EXPECT_NEAR(noise_in(clipped(noisy)) / sigma, 1.0, 0.06) << value << ", " << width << ", 8 bits";
        }
}

// In a colour difference, white and black are in the middle of the scale.
TEST(NoiseEstimate, IgnoresAFrameInColourDifferences) {
    const double sigma = 15.0;
    std::vector<Matrix> samples;
    for (std::uint64_t p = 0; p < 2; ++p) {
        samples.push_back(with_noise(make_image(128, 128, true, 1).planes[p], sigma, 8 + p));
        add_frame(samples.back(), 12, 255.0);
    }
    Matrix difference(128, 128);
    for (std::size_t i = 0; i < difference.size(); ++i)
        difference.data()[i] = (samples[0].data()[i] - samples[1].data()[i]) / std::sqrt(2.0);
    EXPECT_NEAR(estimate_noise(difference, samples) / sigma, 1.0, 0.06);
}

// Half a step of 4 bits: most neighbours are equal, but it is still noise. Rounding adds to it.
TEST(NoiseEstimate, FindsNoiseSmallerThanAStep) {
    Matrix noisy = with_noise(make_image(192, 192, false, 1).planes[0], 8.0, 9);
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] = 17.0 * std::round(noisy.data()[i] / 17.0);
    EXPECT_NEAR(noise_in(noisy) / std::hypot(8.0, 17.0 / std::sqrt(12.0)), 1.0, 0.10);
}

// Lines on a constant background are not noise, for a background of any brightness and size.
TEST(NoiseEstimate, LinesOnABackgroundAreNotNoise) {
    for (const double background : {255.0, 200.0, 0.0})
        for (const std::size_t apart : {41U, 61U}) {
            Matrix drawing(96, 96, background);
            for (std::size_t i = 0; i < 96; ++i)
                for (std::size_t j = 0; j < 96; ++j)
                    if ((i + 2 * j) % apart < 2 || i % (apart + 20) < 3) drawing(i, j) = 90.0;
            EXPECT_EQ(noise_in(drawing), 0.0) << background << ", " << apart;
        }
}

// Grain of a scanner: fine across, smeared down, or the other way round. The finest coefficients alone give 5.6 for 5.
// The standard deviation of the estimate is about 1 % at this size, and the grain left in the quiet band adds 1 or 2 %.
TEST(NoiseEstimate, IgnoresGrainOfOneDirection) {
    constexpr std::size_t size = 384;
    test::Numbers numbers(11);
    Matrix grain(size + 2, size + 1), truth = make_image(size, size, false, 1).planes[0];
    for (std::size_t i = 0; i < grain.size(); ++i) grain.data()[i] = numbers.normal();
    Matrix turned(size, size);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            const auto edge = [&](std::size_t row) { return grain(row, j) - grain(row, j + 1); };
            truth(i, j) += 4.0 * (edge(i) + edge(i + 1) + edge(i + 2)) / std::sqrt(6.0);
            turned(j, i) = truth(i, j);
        }
    for (const Matrix& image : {truth, turned}) EXPECT_NEAR(noise_in(with_noise(image, 5.0, 12)) / 5.0, 1.0, 0.06);
}

// White noise is equally strong in all bands, and only chance makes one weaker. One estimate has a standard deviation
// of 1 % at this size; with the quietest 7 % of the windows alone it would be 3 %. So the mean of 80 has one of 0.11 %,
// and their root mean square error one of 0.08 %. A low band is used more readily than a high one, which makes the
// estimate 0.2 or 0.3 % too low: bounds of 0.6 and 1.3 % give a false alarm in less than one of 400 runs. If the lowest
// band were always used, the mean would be 0.9 % too low.
TEST(NoiseEstimate, IsAsAccurateAsChanceAllows) {
    constexpr int images = 80;
    double errors = 0.0, squares = 0.0;
    for (std::uint64_t seed = 20; seed < 20 + images; ++seed) {
        const double error = noise_in(with_noise(Matrix(128, 128, 0.0), 1.0, seed)) - 1.0;
        errors += error;
        squares += error * error;
    }
    EXPECT_NEAR(errors / images, 0.0, 0.006);
    EXPECT_LT(std::sqrt(squares / images), 0.013);
}

// Half the image is nearly black: files of 8 bits clip its noise, and it looks quieter than the rest.
TEST(NoiseEstimate, IgnoresClippedNoise) {
    Matrix truth = make_image(256, 256, false, 1).planes[0];
    for (std::size_t i = 0; i < 256; ++i)
        for (std::size_t j = 0; j < 256; ++j) truth(i, j) = j < 128 ? 6.0 : 60.0 + 0.6 * truth(i, j);
    for (const double sigma : {5.0, 15.0, 25.0, 40.0})
        EXPECT_NEAR(noise_in(clipped(with_noise(truth, sigma, 6))) / sigma, 1.0, 0.06) << sigma;
}

// Two of three colours are clipped, which their sum does not show.
TEST(NoiseEstimate, LooksForClippingInAllColours) {
    const double sigma = 20.0;
    std::vector<Matrix> samples;
    for (std::uint64_t p = 0; p < 3; ++p) {
        Matrix truth(128, 128, 120.0);
        for (std::size_t i = 0; i < 128 && p > 0; ++i)
            for (std::size_t j = 0; j < 64; ++j) truth(i, j) = 0.0;
        samples.push_back(clipped(with_noise(truth, sigma, 7 + p)));
    }
    Matrix sum(128, 128);
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum.data()[i] = (samples[0].data()[i] + samples[1].data()[i] + samples[2].data()[i]) / std::sqrt(3.0);
    EXPECT_NEAR(estimate_noise(sum, samples) / sigma, 1.0, 0.10);
    EXPECT_LT(estimate_noise(sum, {&sum, 1}) / sigma, 0.90);  // without them
}

// No window has enough margin to both clip levels: the estimate is a rough one.
TEST(NoiseEstimate, UsesTheLeastClippedWindowsIfAllAreClipped) {
    const Matrix noisy = clipped(with_noise(Matrix(64, 64, 10.0), 60.0, 10));
    EXPECT_GT(noise_in(noisy), 25.0);
    EXPECT_LT(noise_in(noisy), 66.0);
}

TEST(NoiseEstimate, ADrawingHasNoNoise) {
    Matrix drawing(48, 48, 255.0);
    for (std::size_t i = 20; i < 30; ++i)
        for (std::size_t j = 20; j < 30; ++j) drawing(i, j) = 0.0;
    EXPECT_EQ(noise_in(drawing), 0.0);
}

}  // namespace
}  // namespace sbdl
