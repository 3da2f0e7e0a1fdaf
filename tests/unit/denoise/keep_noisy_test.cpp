// The noisy image averaged with the patches: pixels computed by hand, and no change at all for a weight of 0.
#include "denoise/keep_noisy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "sbdl/denoise.hpp"
#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"
#include "support/sparse_checks.hpp"

namespace sbdl {
namespace {

// 3 x 4 pixels, patches of 2 x 2: 1 over a corner, 2 over a side, 4 over the middle.
TEST(KeepNoisy, IsTheMeanOfPatchesAndPixel) {
    const Plane noisy(3, 4, {10.0, 8.0});
    PassResult mean{Plane(3, 4, {4.0, 8.0}), Plane(3, 4, {2.0, 8.0}), {}};
    keep_noisy(noisy, 2.0, 2, 3.0, mean);
    EXPECT_NEAR(mean.plane(0, 0), (2.0 * 10.0 + 1 * 4.0) / 3.0, 1e-6);
    EXPECT_NEAR(mean.plane(2, 3), 8.0, 1e-6);
    EXPECT_NEAR(mean.plane(0, 1), (2.0 * 10.0 + 2 * 4.0) / 4.0, 1e-6);
    EXPECT_NEAR(mean.plane(1, 0), 7.0, 1e-6);
    EXPECT_NEAR(mean.plane(1, 2), (2.0 * 10.0 + 4 * 4.0) / 6.0, 1e-6);
    // Second moment of the mixture minus the square of its mean.
    const double second = (2.0 * (9.0 + 100.0) + 4 * (4.0 + 16.0)) / 6.0;
    EXPECT_NEAR(mean.std(1, 1), std::sqrt(second - 36.0), 1e-6);
}

TEST(KeepNoisy, AWeightOfZeroIsPlainAveragingExactly) {
    const Plane noisy(3, 3, {10.0, 1.0});
    PassResult mean{Plane(3, 3, {0.1, 1.0}), Plane(3, 3, {0.3, 1.0}), {}};
    keep_noisy(noisy, 0.0, 2, 3.0, mean);
    EXPECT_TRUE(test::same_entries(mean.plane.matrix(), Matrix(3, 3, 0.1)));
    EXPECT_TRUE(test::same_entries(mean.std.matrix(), Matrix(3, 3, 0.3)));
}

Image noisy_example() {
    return make_noisy(make_image(24, 20, false, 3), 25.0, 3);
}

Image averaged(const Image& noisy, std::optional<double> weight, double sigma) {
    DenoiseOptions options;
    options.recipe = Recipe::paper;
    options.method = "dct";
    options.sigma = sigma;
    options.keep_noisy = weight;
    return denoise(noisy, options).image;
}

TEST(KeepNoisy, TheUsualWeightIsThirtyOverSigmaOnAScaleTo255) {
    Image noisy = noisy_example();
    noisy.samples = Samples::u8;
    const Image given = averaged(noisy, 30.0 / 20.0, 20.0);
    EXPECT_TRUE(test::same_entries(averaged(noisy, std::nullopt, 20.0).planes[0], given.planes[0]));
    EXPECT_FALSE(test::same_entries(averaged(noisy, 0.0, 20.0).planes[0], given.planes[0]));
}

TEST(KeepNoisy, TheUsualWeightFollowsTheScale) {
    const Image noisy = noisy_example();  // float: its range takes the place of 255
    Image large = noisy;
    for (std::size_t i = 0; i < large.planes[0].size(); ++i) large.planes[0].data()[i] *= 256.0;
    const Image a = averaged(noisy, std::nullopt, 20.0);
    const Image b = averaged(large, std::nullopt, 20.0 * 256.0);
    for (std::size_t i = 0; i < a.planes[0].size(); ++i)
        ASSERT_NEAR(256.0 * a.planes[0].data()[i], b.planes[0].data()[i], 1e-6);
}

TEST(KeepNoisy, RejectsOtherRecipesAndWeights) {
    const Image noisy = noisy_example();
    DenoiseOptions options;
    for (const std::optional<double>& weight : {std::optional<double>{1.0}, std::optional<double>{}}) {
        options.keep_noisy = weight;
        test::expect_error<InputError>([&] { denoise(noisy, options); }, {"keep_noisy", "recipe paper"});
    }
    options.recipe = Recipe::paper;
    for (const double weight : {-1.0, std::nan("")}) {
        options.keep_noisy = weight;
        test::expect_error<InputError>([&] { denoise(noisy, options); }, {"keep_noisy is"});
    }
}

}  // namespace
}  // namespace sbdl
