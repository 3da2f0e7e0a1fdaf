// Noise cut off at the ends of the scale: its mean and cumulants, and the gain and read noise that windows of it show.
#include "denoise/clipped_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "denoise/variance_fit.hpp"
#include "poisson_image.hpp"
#include "sbdl/synth.hpp"

namespace sbdl {
namespace {

const ClipLevels eight_bits{0.0, 255.0};

Matrix clipped_to_8_bits(Matrix plane) {
    for (std::size_t i = 0; i < plane.size(); ++i)
        plane.data()[i] = std::clamp(std::round(plane.data()[i]), eight_bits.low, eight_bits.high);
    return plane;
}

TEST(ClippedNoise, WithoutClippingTheCumulantsAreThoseOfTheModel) {
    const PoissonGaussian noise{3.0, 50.0, 10.0};
    for (const double counts : {0.5, 7.0, 60.0}) {
        const Cumulants found = clipped_cumulants(noise, {}, 10.0 + 3.0 * counts);
        EXPECT_NEAR(found.mean, 10.0 + 3.0 * counts, 1e-9);
        EXPECT_NEAR(found.variance / (9.0 * counts + 50.0), 1.0, 1e-9);
        EXPECT_NEAR(found.third / (27.0 * counts), 1.0, 1e-6);
        EXPECT_NEAR(found.fourth / (81.0 * counts), 1.0, 1e-4);
    }
}

// Of 400000 samples the mean has a standard deviation of 0.0016 noise standard deviations, the variance one of 0.2 to
// 0.4 %, and the skewness and the excess kurtosis, with what clipping leaves, one of below 0.01 and 0.03. Four
// of them: a false alarm in one of 4000 runs. The seeds are fixed.
TEST(ClippedNoise, TheCumulantsAreThoseOfClippedSamples) {
    for (const PoissonGaussian& noise : {PoissonGaussian{36.0, 72.0 * 72.0, 0.0}, PoissonGaussian{0.0, 8100.0, 0.0}})
        for (const double mean : {5.0, 60.0, 180.0}) {
            test::Numbers numbers(static_cast<std::uint64_t>(mean));
            constexpr int count = 400'000;
            double sum = 0.0, squares = 0.0, cubes = 0.0, fourths = 0.0;
            for (int i = 0; i < count; ++i) {
                const double light =
                    noise.gain > 0.0 ? noise.gain * test::poisson_number(numbers, mean / noise.gain) : mean;
                const double z = light + std::sqrt(noise.read_variance) * numbers.normal();
                const double value = std::clamp(z, 0.0, 255.0);
                sum += value / count;
                squares += value * value / count;
                cubes += value * value * value / count;
                fourths += value * value * value * value / count;
            }
            const double variance = squares - sum * sum;
            const double third = cubes - 3.0 * sum * squares + 2.0 * sum * sum * sum;
            const double fourth = fourths - 4.0 * sum * cubes + 6.0 * sum * sum * squares - 3.0 * std::pow(sum, 4) -
                                  3.0 * variance * variance;
            const Cumulants found = clipped_cumulants(noise, eight_bits, mean);
            const double sd = std::sqrt(variance);
            EXPECT_NEAR((found.mean - sum) / sd, 0.0, 0.0065) << mean;
            EXPECT_NEAR(found.variance / variance, 1.0, 0.015) << mean;
            EXPECT_NEAR((found.third - third) / std::pow(sd, 3), 0.0, 0.04) << mean;
            EXPECT_NEAR((found.fourth - fourth) / std::pow(sd, 4), 0.0, 0.12) << mean;
        }
}

TEST(ClippedNoise, TheMeanAfterClippingIsInterpolated) {
    const PoissonGaussian noise{18.0, 8100.0, 0.0};
    const ClippedMean mean(noise, eight_bits, 0.0, 200.0);
    for (const double before : {0.0, 33.3, 120.0, 200.0})
        EXPECT_NEAR(mean.at(before), clipped_cumulants(noise, eight_bits, before).mean, 1e-2);
    EXPECT_EQ(mean.at(-5.0), mean.at(0.0));
    EXPECT_EQ(mean.at(205.0), mean.at(200.0));
}

// Pixels of a scale of 0 to 255, of which clipping at both ends has taken a third to a half of the variance.
TEST(ClippedFit, FindsGainAndReadNoiseBehindClipping) {
    for (const auto& [peak, read] : {std::pair{5.0, 2.0}, std::pair{10.0, 5.0}}) {
        const double gain = 180.0 / peak;
        const Matrix counts = test::steps_of_counts(512, 0.02 * peak, peak);
        const VarianceFit fit = fit_variance(
            clipped_to_8_bits(test::with_poisson_noise(counts, {gain, gain * gain * read * read, 0.0}, 11)), {}, 1);
        ASSERT_TRUE(fit.grows()) << peak;
        EXPECT_NEAR(fit.noise.gain / gain, 1.0, 0.1) << peak;
        EXPECT_NEAR(std::sqrt(fit.noise.read_variance) / (gain * read), 1.0, 0.03) << peak;
        EXPECT_EQ(fit.noise.offset, 0.0);
    }
}

// Nearly all noise is clipped: what is left shows its strength, but hardly whether it grows.
TEST(ClippedFit, FindsNoiseThatIsMostlyClipped) {
    const Matrix counts = test::steps_of_counts(512, 0.1, 5.0);
    const VarianceFit fit =
        fit_variance(clipped_to_8_bits(test::with_poisson_noise(counts, {36.0, 180.0 * 180.0, 0.0}, 12)), {}, 1);
    ASSERT_TRUE(fit.found);
    EXPECT_TRUE(fit.mostly_clipped);
    const double at_half = std::sqrt(fit.noise.variance(90.0));
    EXPECT_NEAR(at_half / std::sqrt(36.0 * 90.0 + 180.0 * 180.0), 1.0, 0.03);
}

TEST(ClippedFit, NoiseOfOneStrengthHasItsStandardDeviationBeforeClipping) {
    for (const double sigma : {30.0, 90.0, 180.0}) {
        test::Numbers numbers(static_cast<std::uint64_t>(sigma));
        Matrix noisy = test::steps_of_counts(256, 5.0, 180.0);
        for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] += sigma * numbers.normal();
        const Matrix clipped = clipped_to_8_bits(std::move(noisy));
        EXPECT_FALSE(fit_variance(clipped, {}, 1).grows()) << sigma;
        for (const VarianceFit& fit : {fit_variance(clipped, {}, 1), fit_one_strength(clipped, 1)}) {
            ASSERT_TRUE(fit.one_variance) << sigma;
            EXPECT_NEAR(std::sqrt(*fit.one_variance) / sigma, 1.0, 0.03) << sigma;
        }
    }
    EXPECT_FALSE(fit_one_strength(test::steps_of_counts(64, 5.0, 180.0), 1).one_variance) << "nothing is clipped";
}

// Counts of 36 units each: the scale ends three units after the seventh, and holds all that are brighter.
TEST(ClippedFit, TheEndOfTheScaleIsFoundBesideCountsThatAreFarApart) {
    const Matrix noisy =
        clipped_to_8_bits(test::with_poisson_noise(test::steps_of_counts(256, 0.2, 5.0), {36.0, 0.0, 0.0}, 13));
    EXPECT_EQ(find_clip_levels(noisy, ConstantRegions({&noisy, 1})).high, 255.0);
    const VarianceFit fit = fit_variance(noisy, {}, 1);
    EXPECT_NEAR(fit.noise.gain / 36.0, 1.0, 0.03);
    EXPECT_LT(std::sqrt(fit.noise.read_variance), 0.15 * 36.0);
}

}  // namespace
}  // namespace sbdl
