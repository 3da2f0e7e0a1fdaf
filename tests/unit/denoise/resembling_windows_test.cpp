// Noise of images without a flat region: found where parts of them look alike, clipped or not; elsewhere a bound.
#include "denoise/resembling_windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "denoise/noise_estimate.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"
#include "unit/denoise/noisy_planes.hpp"

namespace sbdl {
namespace {

using test::clipped;
using test::with_noise;

/// A page of `letters` that are drawn at random, 7 x 5 pixels each, in lines without space between them.
Matrix page(std::size_t side, double paper, double ink, std::uint64_t letters = 5) {
    Matrix plane(side, side, paper);
    test::Numbers numbers(5);
    std::vector<std::uint64_t> shapes;
    for (std::uint64_t i = 0; i < letters; ++i)
        shapes.push_back(static_cast<std::uint64_t>(std::ldexp(numbers.uniform(), 35)));
    for (std::size_t top = 1; top + 8 <= side; top += 9)
        for (std::size_t left = 1; left + 6 <= side; left += 6) {
            const std::uint64_t shape =
                shapes[static_cast<std::size_t>(numbers.uniform() * static_cast<double>(letters))];
            for (std::size_t i = 0; i < 35; ++i)
                if ((shape >> i) % 2 == 1) plane(top + i / 5, left + i % 5) = ink;
        }
    return plane;
}

Matrix tiles(std::size_t side) {
    test::Numbers numbers(6);
    Matrix tile(16, 16), plane(side, side);
    for (std::size_t i = 0; i < tile.size(); ++i) tile.data()[i] = 255.0 * numbers.uniform();
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) plane(i, j) = tile(i % 16, j % 16);
    return plane;
}

/// Threads over and under each other.
Matrix fabric(std::size_t side) {
    Matrix plane(side, side);
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
            const bool over = (i / 6 + j / 6) % 2 == 0;
            const double off = static_cast<double>(over ? i % 6 : j % 6) - 2.5;
            plane(i, j) = (over ? 230.0 : 215.0) * (1.0 - off * off / 9.0);
        }
    return plane;
}

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

// Without them, the estimates are 1.5 to 6 times too large.
TEST(WhiteNoise, IsRightWithoutAnyFlatRegion) {
    const auto ratio = [](const Matrix& noisy, double sigma) {
        const WhiteNoise found = white_noise({&noisy, 1}, {&noisy, 1});
        EXPECT_TRUE(found.nowhere_flat);
        return found.sd[0] / sigma;
    };
    EXPECT_NEAR(ratio(with_noise(tiles(200), 25.0, 1), 25.0), 1.0, 0.05);
    EXPECT_NEAR(ratio(with_noise(page(200, 200.0, 40.0), 10.0, 7), 10.0), 1.1, 0.1);
    EXPECT_NEAR(ratio(clipped(with_noise(page(200, 255.0, 40.0), 25.0, 7)), 25.0), 1.1, 0.1);
}

TEST(WhiteNoise, IsThatOfFlatRegionsWhereThereAreSome) {
    for (const double sigma : {2.0, 15.0}) {
        const Matrix noisy = with_noise(make_image(128, 128, false, 1).planes[0], sigma, 2);
        const WhiteNoise found = white_noise({&noisy, 1}, {&noisy, 1});
        EXPECT_FALSE(found.nowhere_flat);
        EXPECT_EQ(found.sd[0], estimate_noise(noisy, {&noisy, 1}));
    }
}

TEST(WhiteNoise, IsNotSurelyWhiteWhereNeighboursShareIt) {
    const Matrix white = with_noise(Matrix(161, 161, 90.0), 10.0, 1);
    Matrix shared(160, 160);
    for (std::size_t i = 0; i < 160; ++i)
        for (std::size_t j = 0; j < 160; ++j) shared(i, j) = white(i, j) + white(i + 1, j) + 0.5 * white(i, j + 1);
    const std::vector<Matrix> planes{shared, with_noise(tiles(160), 10.0, 2)};
    EXPECT_EQ(white_noise(planes, planes).surely_white, (std::vector{false, true}));
}

// The contrast of the tiles looks like noise that grows, and what the threads of a fabric share like shared noise.
TEST(WhiteNoise, IsNotMistakenForAnotherKindWithoutAnyFlatRegion) {
    const auto found = [](Matrix noisy) {
        Image image;
        image.planes.push_back(std::move(noisy));
        DenoiseOptions options;
        options.method = "dct";
        options.quality = Quality::fast;
        return denoise(image, options);
    };
    const DenoiseResult tiled = found(with_noise(tiles(128), 25.0, 1));
    EXPECT_NEAR(tiled.noise_sd / 25.0, 1.0, 0.06);
    EXPECT_EQ(tiled.noise.kind, NoiseKind::gaussian);
    EXPECT_TRUE(tiled.noise.nowhere_flat);
    const DenoiseResult woven = found(with_noise(fabric(160), 25.0, 1));
    EXPECT_NEAR(woven.noise_sd / 25.0, 1.0, 0.06);
    EXPECT_EQ(woven.noise.correlation, std::vector{0.0});
}

// The first plane decides for all; none has more than its flat regions have.
TEST(WhiteNoise, IsLimitedInAllPlanesIfTheFirstHasNoFlatRegion) {
    const std::vector<Matrix> planes{with_noise(tiles(160), 10.0, 1), with_noise(Matrix(160, 160, 90.0), 5.0, 2),
                                     with_noise(tiles(160), 2.0, 3)};
    const WhiteNoise found = white_noise(planes, planes);
    EXPECT_TRUE(found.nowhere_flat);
    EXPECT_NEAR(found.sd[0] / 10.0, 1.0, 0.06);
    EXPECT_EQ(found.sd[1], std::min(estimate_noise(planes[1], planes), noise_of_resembling_windows(planes[1], planes)));
    EXPECT_NEAR(found.sd[2] / 2.0, 1.0, 0.06);

    const std::vector<Matrix> flat_first{planes[1], planes[0]};
    const WhiteNoise of_flat = white_noise(flat_first, flat_first);
    EXPECT_FALSE(of_flat.nowhere_flat);
    EXPECT_EQ(of_flat.sd[1], estimate_noise(planes[0], flat_first));
}

}  // namespace
}  // namespace sbdl
