// White noise of images with and without flat regions, and that nothing else is made of it.
#include "denoise/white_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "denoise/noise_estimate.hpp"
#include "denoise/resembling_windows.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/synth.hpp"
#include "unit/denoise/noisy_planes.hpp"

namespace sbdl {
namespace {

using test::clipped;
using test::fabric;
using test::page;
using test::tiles;
using test::with_noise;

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
