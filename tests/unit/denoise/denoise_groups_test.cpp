// The two qualities of a denoised image: patches one by one (fast), and then similar ones together (best).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "denoise/whitening.hpp"
#include "groups/group_planes.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/same_result.hpp"

namespace sbdl {
namespace {

/// Nothing is learned: the dictionary matters little here.
DenoiseOptions of_quality(Quality quality) {
    DenoiseOptions options;
    options.quality = quality;
    options.method = "dct";
    options.atoms = 64;
    options.std = true;
    return options;
}

DenoiseResult denoised(const Image& noisy, Quality quality, int threads = 1) {
    Context context;
    context.execution.threads = threads;
    return denoise(noisy, of_quality(quality), context);
}

Image striped_image(std::size_t height, std::size_t width) {
    Image image;
    image.planes.push_back(test::striped_plane(height, width));
    return image;
}

bool has_stage(const DenoiseResult& result, std::string_view name) {
    return std::any_of(result.stages.begin(), result.stages.end(),
                       [name](const StageTime& time) { return time.stage == name; });
}

void expect_positive(const Image& std) {
    for (const Matrix& plane : std.planes)
        for (std::size_t i = 0; i < plane.size(); ++i) ASSERT_GT(plane.data()[i], 0.0);
}

TEST(DenoiseQuality, BestGainsMoreWhereAnImageRepeatsItself) {
    struct Case {
        Image truth;
        double sigma, gain;  // dB
    };
    for (const Case& c : {Case{striped_image(64, 56), 25.0, 1.0}, Case{striped_image(48, 48), 50.0, 1.0},
                          Case{make_image(96, 80, false, 1), 25.0, 0.1}}) {
        const Image noisy = make_noisy(c.truth, c.sigma, 1);
        const DenoiseResult fast = denoised(noisy, Quality::fast), best = denoised(noisy, Quality::best);
        EXPECT_GT(psnr(c.truth, best.image, 255.0), psnr(c.truth, fast.image, 255.0) + c.gain);
        EXPECT_TRUE(has_stage(best, "groups"));
        EXPECT_FALSE(has_stage(fast, "groups"));
        for (const DenoiseResult* result : {&fast, &best}) {
            ASSERT_EQ(result->std.planes.size(), 1U);
            ASSERT_EQ(result->std.planes[0].size(), noisy.planes[0].size());
            expect_positive(result->std);
        }
    }
}

/// Grey with a fine texture of less than half the noise, of which hardly anything survives.
Image faint_texture() {
    const Matrix texture = test::smoothed(test::with_white_noise(Matrix(96, 96), 24.0, 11));  // about 8 are left
    Image image;
    image.samples = Samples::f32;
    Matrix& plane = image.planes.emplace_back(96, 96, 100.0);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += texture.data()[i];
    return image;
}

// What was removed besides the noise is an error, and shows in the residual. Without that, 36 and 64 % are covered.
TEST(DenoiseQuality, StandardDeviationsCoverADetailThatIsLost) {
    const Image truth = faint_texture(), noisy = make_noisy(truth, 20.0, 12);
    const DenoiseResult best = denoised(noisy, Quality::best);
    EXPECT_NEAR(share_within(truth, best.image, best.std, 1.0), 0.68, 0.08);
    EXPECT_NEAR(share_within(truth, best.image, best.std, 2.0), 0.95, 0.05);
}

TEST(DenoiseQuality, BestIsTheDefault) {
    EXPECT_EQ(DenoiseOptions().quality, Quality::best);
}

TEST(DenoiseQuality, BestIsTheSameForAnyNumberOfThreads) {
    const Image noisy = make_noisy(make_image(45, 38, true, 2), 20.0, 2);
    const DenoiseResult one = denoised(noisy, Quality::best, 1), three = denoised(noisy, Quality::best, 3);
    for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_TRUE(test::same_bits(one.image.planes[p], three.image.planes[p]));
        EXPECT_TRUE(test::same_bits(one.std.planes[p], three.std.planes[p]));
    }
}

TEST(DenoiseQuality, BestGainsInColour) {
    const Image truth = make_image(48, 56, true, 3), noisy = make_noisy(truth, 30.0, 3);
    const DenoiseResult fast = denoised(noisy, Quality::fast), best = denoised(noisy, Quality::best);
    EXPECT_GT(psnr(truth, best.image, 255.0), psnr(truth, fast.image, 255.0));
    ASSERT_EQ(best.std.planes.size(), 3U);
    expect_positive(best.std);
}

TEST(DenoiseQuality, AnImageNearlyFreeOfNoiseIsTheSameWithBoth) {
    const Image noisy = make_noisy(striped_image(40, 40), 2.0, 4);
    DenoiseOptions options = of_quality(Quality::fast);
    options.sigma = 2.0;
    const DenoiseResult fast = denoise(noisy, options);
    ASSERT_TRUE(fast.noise.nearly_none);
    options.quality = Quality::best;
    const DenoiseResult best = denoise(noisy, options);
    EXPECT_TRUE(test::same_bits(best.image.planes[0], fast.image.planes[0]));
    EXPECT_TRUE(test::same_bits(best.std.planes[0], fast.std.planes[0]));
    EXPECT_FALSE(has_stage(best, "groups"));
}

/// Black and white in strong grey stripes; nothing but noise in its colours.
Image grey_stripes() {
    Image image = striped_image(40, 40);
    for (std::size_t i = 0; i < image.planes[0].size(); ++i)
        image.planes[0].data()[i] = image.planes[0].data()[i] > 100.0 ? 250.0 : 5.0;
    image.planes.assign(3, image.planes[0]);
    return image;
}

// The luminance stays as it is, the two colours that are left are improved: the planes are not mixed up.
TEST(DenoiseQuality, PlanesNearlyFreeOfNoiseStay) {
    const Image truth = grey_stripes(), noisy = make_noisy(truth, 10.0, 5);
    DenoiseOptions options = of_quality(Quality::fast);
    options.sigma = 10.0;
    const DenoiseResult fast = denoise(noisy, options);
    ASSERT_FALSE(fast.noise.nearly_none);
    options.quality = Quality::best;
    const DenoiseResult best = denoise(noisy, options);
    const auto at = [](const DenoiseResult& result, std::size_t i) {
        const auto& planes = result.image.planes;
        return std::array{planes[0].data()[i], planes[1].data()[i], planes[2].data()[i]};
    };
    double fast_colour = 0.0, best_colour = 0.0;
    for (std::size_t i = 0; i < noisy.planes[0].size(); ++i) {
        const auto before = at(fast, i), after = at(best, i);
        ASSERT_NEAR(after[0] + after[1] + after[2], before[0] + before[1] + before[2], 1e-9);
        fast_colour += std::abs(before[0] - before[1]) + std::abs(before[1] - before[2]);
        best_colour += std::abs(after[0] - after[1]) + std::abs(after[1] - after[2]);
    }
    EXPECT_TRUE(has_stage(best, "groups"));
    EXPECT_NE(best_colour, fast_colour);
    EXPECT_LT(best_colour / static_cast<double>(noisy.planes[0].size()), 0.5 * 10.0);
    expect_positive(best.std);
}

// Strong noise that all colours share, and little in their differences, which would not survive more.
TEST(DenoiseQuality, EachPlaneHasItsOwnNoise) {
    const Matrix stripes = test::striped_plane(64, 64), shared = test::with_white_noise(Matrix(64, 64), 20.0, 7);
    Image noisy;
    noisy.samples = Samples::f32;
    for (std::size_t p = 0; p < 3; ++p) {
        Matrix& plane = noisy.planes.emplace_back(test::with_white_noise(shared, 2.0, 8 + p));
        const double share = p == 0 ? 0.06 : p == 1 ? 0.0 : -0.06;
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += 100.0 + share * stripes.data()[i];
    }
    const DenoiseResult fast = denoised(noisy, Quality::fast), best = denoised(noisy, Quality::best);
    EXPECT_GT(best.plane_noise[0], 10.0 * best.plane_noise[1]);
    const auto error = [&](const DenoiseResult& result) {  // of red minus blue
        Matrix difference(64, 64), want(64, 64);
        for (std::size_t i = 0; i < want.size(); ++i) {
            difference.data()[i] = result.image.planes[0].data()[i] - result.image.planes[2].data()[i];
            want.data()[i] = 0.12 * stripes.data()[i];
        }
        return test::apart(difference, want);
    };
    EXPECT_LT(error(best), 0.8 * error(fast));
    for (std::size_t p = 0; p < 3; ++p)
        EXPECT_FALSE(test::same_bits(best.std.planes[p], fast.std.planes[p])) << "these are those of groups";
}

// In the flat part the noise is seen to be correlated.
TEST(DenoiseQuality, CorrelatedNoiseIsWhitenedInGroups) {
    Autocovariance noise;
    noise.at[0] = {400.0, 200.0};
    noise.at[1] = {200.0, 100.0};
    Image truth = striped_image(128, 136);
    std::fill_n(truth.planes[0].data(), 88 * 136, 100.0);
    Image noisy = truth;
    noisy.samples = Samples::f32;
    const Matrix added = noise_like(noise, 128, 136, 6, 1);
    for (std::size_t i = 0; i < added.size(); ++i) noisy.planes[0].data()[i] += added.data()[i];
    const DenoiseResult fast = denoised(noisy, Quality::fast), best = denoised(noisy, Quality::best);
    ASSERT_GT(fast.noise.correlation[0], 0.3);
    EXPECT_GT(psnr(truth, best.image, 255.0), psnr(truth, fast.image, 255.0) + 0.3);
    expect_positive(best.std);
}

}  // namespace
}  // namespace sbdl
