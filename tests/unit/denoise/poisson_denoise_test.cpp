// Noise that grows with brightness, from end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "poisson_image.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

DenoiseOptions quick_options() {
    DenoiseOptions options;
    options.quality = Quality::fast;
    options.atoms = 64;
    options.max_patches = 2000;
    options.sweeps = 4;
    return options;
}

Image counts_image(std::size_t side, bool colour, double peak, std::uint64_t seed) {
    Image image = make_image(side, side, colour, seed);
    for (Matrix& plane : image.planes) plane = test::scaled_to(std::move(plane), peak);
    image.samples = Samples::f64;
    return image;
}

Image with_noise_of_counts(Image counts, const PoissonGaussian& noise, std::uint64_t seed) {
    for (Matrix& plane : counts.planes) plane = test::with_poisson_noise(plane, noise, seed++);
    return counts;
}

double mean_of(const Matrix& plane) {
    return std::accumulate(plane.data(), plane.data() + plane.size(), 0.0) / static_cast<double>(plane.size());
}

TEST(PoissonDenoise, GainsMoreThanWithNoiseOfOneStrengthAndKeepsTheMean) {
    const Image truth = counts_image(192, false, 30.0, 1);
    const Image noisy = with_noise_of_counts(truth, {1.0, 1.0, 0.0}, 1);
    DenoiseOptions options = quick_options();
    options.std = true;
    const DenoiseResult result = denoise(noisy, options);
    EXPECT_EQ(result.noise.kind, NoiseKind::poisson_gaussian);
    ASSERT_EQ(result.noise.planes.size(), 1U);
    EXPECT_NEAR(result.noise.planes[0].gain, 1.0, 0.2);  // little of the painted image is flat
    EXPECT_FALSE(result.noise.planes[0].brightness.empty());
    ASSERT_FALSE(result.noise.sentences.empty());
    EXPECT_NE(result.noise.sentences[0].find("grows with brightness"), std::string::npos);
    options.noise = NoiseKind::gaussian;
    const DenoiseResult gaussian = denoise(noisy, options);
    EXPECT_EQ(gaussian.noise.kind, NoiseKind::gaussian);
    EXPECT_GT(psnr(truth, result.image, 30.0), psnr(truth, gaussian.image, 30.0));
    EXPECT_NEAR(mean_of(result.image.planes[0]) / mean_of(noisy.planes[0]), 1.0, 1e-6);
    EXPECT_NEAR(share_within(truth, result.image, result.std, 2.0), 0.9, 0.09);
}

// The same bits: white noise takes the path that it always took.
TEST(PoissonDenoise, WhiteNoiseIsTreatedAsBefore) {
    const Image noisy = make_noisy(make_image(96, 96, false, 2), 20.0, 2);
    DenoiseOptions options = quick_options();
    const DenoiseResult automatic = denoise(noisy, options);
    options.noise = NoiseKind::gaussian;
    const DenoiseResult gaussian = denoise(noisy, options);
    EXPECT_EQ(automatic.noise.kind, NoiseKind::gaussian);
    for (std::size_t i = 0; i < noisy.planes[0].size(); ++i)
        ASSERT_EQ(automatic.image.planes[0].data()[i], gaussian.image.planes[0].data()[i]);
}

TEST(PoissonDenoise, EachColourHasItsOwnGain) {
    Image truth, noisy;
    truth.samples = noisy.samples = Samples::f64;
    for (std::size_t p = 0; p < 3; ++p) {
        const double gain = 2.0 + static_cast<double>(p);
        truth.planes.push_back(test::steps_of_counts(96, 2.0, 30.0));
        noisy.planes.push_back(test::with_poisson_noise(truth.planes[p], {gain, 1.0, 0.0}, 10 + p));
        for (std::size_t i = 0; i < truth.planes[p].size(); ++i) truth.planes[p].data()[i] *= gain;
    }
    DenoiseOptions options = quick_options();
    options.noise = NoiseKind::poisson_gaussian;
    options.std = true;
    const DenoiseResult result = denoise(noisy, options);
    ASSERT_EQ(result.noise.planes.size(), 3U);
    for (std::size_t p = 0; p < 3; ++p)
        EXPECT_NEAR(result.noise.planes[p].gain / (2.0 + static_cast<double>(p)), 1.0, 0.15) << p;
    EXPECT_GT(psnr(truth, result.image, 100.0), psnr(truth, noisy, 100.0) + 4.0);
    EXPECT_EQ(result.std.planes.size(), 3U);
}

TEST(PoissonDenoise, WhatIsGivenIsUsed) {
    const Image noisy = with_noise_of_counts(counts_image(64, false, 20.0, 4), {3.0, 4.0, 50.0}, 4);
    DenoiseOptions options = quick_options();
    options.gain = 3.0;
    options.read_noise = 2.0;
    options.offset = 50.0;
    const DenoiseResult result = denoise(noisy, options);
    EXPECT_TRUE(result.noise_given);
    EXPECT_EQ(result.noise.kind, NoiseKind::poisson_gaussian);
    EXPECT_EQ(result.noise.planes[0].gain, 3.0);
    EXPECT_EQ(result.noise.planes[0].read_noise, 2.0);
    EXPECT_EQ(result.noise.planes[0].offset, 50.0);
}

TEST(PoissonDenoise, AGainThatCannotBeInferredIsSaidSo) {
    Image flat;
    flat.planes.assign(1, Matrix(64, 64, 100.0));
    const Image noisy = make_noisy(flat, 5.0, 5);
    DenoiseOptions options = quick_options();
    options.noise = NoiseKind::poisson_gaussian;
    const DenoiseResult result = denoise(noisy, options);
    ASSERT_FALSE(result.warnings.empty());
    const bool one_strength = result.noise.kind == NoiseKind::gaussian;
    EXPECT_NE(result.warnings[0].find(one_strength ? "cannot be inferred" : "no clear growth"), std::string::npos);
    for (std::size_t i = 0; i < 64 * 64; ++i) ASSERT_NEAR(result.image.planes[0].data()[i], 100.0, 15.0);
}

/// Stripes of different brightness with noise of one strength, rounded and cut off as in a file of 8 bits.
Image clipped_stripes(double sigma, std::uint64_t seed, Image& truth) {
    truth = {};
    truth.planes.push_back(test::steps_of_counts(128, 8.0, 200.0));
    Image noisy = make_noisy(truth, sigma, seed);
    for (std::size_t i = 0; i < noisy.planes[0].size(); ++i)
        noisy.planes[0].data()[i] = std::clamp(std::round(noisy.planes[0].data()[i]), 0.0, 255.0);
    noisy.samples = truth.samples = Samples::u8;
    return noisy;
}

// The darkest of eight stripes has a mean of 8; noise of 40 that is cut off at 0 makes it 20.
TEST(PoissonDenoise, ClippedNoiseOfOneStrengthLeavesTheMeanWhereItWas) {
    Image truth;
    const Image noisy = clipped_stripes(40.0, 6, truth);
    DenoiseOptions options = quick_options();
    options.std = true;
    const auto dark_mean = [](const Image& image) {
        return std::accumulate(image.planes[0].data(), image.planes[0].data() + 16 * 128, 0.0) / (16.0 * 128.0);
    };
    const DenoiseResult found = denoise(noisy, options);
    EXPECT_EQ(found.noise.kind, NoiseKind::gaussian);
    EXPECT_GT(dark_mean(noisy), 18.0);
    EXPECT_NEAR(dark_mean(found.image), 8.0, 7.0) << "few atoms leave some of the noise, and nothing is below 0";
    const auto [least, most] =
        std::minmax_element(found.image.planes[0].data(), found.image.planes[0].data() + found.image.planes[0].size());
    EXPECT_GE(*least, 0.0);
    EXPECT_LE(*most, 255.0);
    EXPECT_TRUE(found.warnings.empty());
    options.sigma = 40.0;
    EXPECT_NEAR(dark_mean(denoise(noisy, options).image), 8.0, 7.0);
    options.quality = DenoiseOptions().quality;
    options.recipe = Recipe::paper;
    EXPECT_GT(dark_mean(denoise(noisy, options).image), 16.0) << "the paper knows nothing of clipping";
}

TEST(PoissonDenoise, NoiseThatIsMostlyClippedIsSaidToBeUncertain) {
    Image truth;
    const Image noisy = clipped_stripes(190.0, 7, truth);
    const DenoiseResult found = denoise(noisy, quick_options());
    ASSERT_FALSE(found.warnings.empty());
    EXPECT_NE(found.warnings[0].find("most of the noise is clipped"), std::string::npos) << found.warnings[0];
    EXPECT_NEAR(mean_of(found.image.planes[0]) / mean_of(truth.planes[0]), 1.0, 0.08);
}

TEST(PoissonDenoise, OptionsThatContradictEachOtherAreRejected) {
    const auto reject = [](const auto& change, std::initializer_list<std::string_view> words) {
        DenoiseOptions options;
        change(options);
        test::expect_error<InputError>([&] { validate(options); }, words);
    };
    reject([](DenoiseOptions& o) { o.noise = NoiseKind::gaussian, o.gain = 1.0; }, {"gain", "brightness"});
    reject([](DenoiseOptions& o) { o.sigma = 5.0, o.read_noise = 1.0; }, {"read_noise", "brightness"});
    reject([](DenoiseOptions& o) { o.noise = NoiseKind::poisson_gaussian, o.sigma = 5.0; }, {"sigma"});
    reject([](DenoiseOptions& o) { o.gain = -1.0; }, {"gain", "-1"});
}

}  // namespace
}  // namespace sbdl
