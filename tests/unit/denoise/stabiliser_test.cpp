// The transform makes the noise white with variance 1; its inverse returns means without bias.
#include "denoise/stabiliser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "denoise/clipped_noise.hpp"
#include "poisson_image.hpp"

namespace sbdl {
namespace {

struct MeanAndVariance {
    double mean = 0.0, variance = 0.0;
};

template <class Transform>
MeanAndVariance of_transformed(const PoissonGaussian& noise, double counts, int samples, const Transform& transform) {
    test::Numbers numbers(static_cast<std::uint64_t>(1000.0 * counts) + 1);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < samples; ++i) {
        const double z = noise.offset + noise.gain * test::poisson_number(numbers, counts) +
                         std::sqrt(noise.read_variance) * numbers.normal();
        const double value = transform(z);
        sum += value / samples;
        squares += value * value / samples;
    }
    return {sum, squares - sum * sum};
}

// The variance of 20000 samples has a standard deviation of about 1 %, and the transform is off by at most 3 % from 4
// counts on.
TEST(Stabiliser, TheNoiseHasVarianceOne) {
    for (const PoissonGaussian& noise : {PoissonGaussian{1.0, 0.0, 0.0}, PoissonGaussian{20.0, 100.0, 50.0}}) {
        const Stabiliser stabiliser(noise, {}, 0.0, noise.offset + 300.0 * noise.gain);
        for (const double counts : {4.0, 15.0, 100.0})
            EXPECT_NEAR(of_transformed(noise, counts, 20000, [&](double z) { return stabiliser.forward(z); }).variance,
                        1.0, 0.08)
                << counts;
    }
}

// The mean of 20000 transforms, which have a standard deviation of about 1 or less, is known to 0.007; four standard
// deviations: a false alarm in one of 10000 runs. Inverting the mean's own transform instead would be off by a quarter
// of a count and more.
TEST(Stabiliser, TheInverseIsUnbiased) {
    for (const PoissonGaussian& noise :
         {PoissonGaussian{1.0, 0.0, 0.0}, PoissonGaussian{1.0, 4.0, 0.0}, PoissonGaussian{20.0, 100.0, 50.0}}) {
        const Stabiliser stabiliser(noise, {}, 0.0, noise.offset + 300.0 * noise.gain);
        for (const double counts : {0.0, 0.3, 1.0, 5.0, 90.0, 110.0}) {
            const double value =
                of_transformed(noise, counts, 20000, [&](double z) { return stabiliser.forward(z); }).mean;
            const Stabiliser::Inverse found = stabiliser.inverse(value);
            EXPECT_NEAR(found.mean, noise.offset + noise.gain * counts, 0.03 * found.slope + 1e-9) << counts;
        }
    }
}

TEST(Stabiliser, ClippingIsUndoneOnAverage) {
    const PoissonGaussian noise{5.0, 225.0, 0.0};
    ClipLevels levels;
    levels.low = 0.0;
    const Stabiliser stabiliser(noise, levels, 0.0, 255.0);
    for (const double counts : {2.0, 6.0, 20.0}) {
        const double value =
            of_transformed(noise, counts, 20000, [&](double z) { return stabiliser.forward(std::max(z, 0.0)); }).mean;
        const Stabiliser::Inverse found = stabiliser.inverse(value);
        EXPECT_NEAR(found.mean, 5.0 * counts, 0.04 * found.slope) << counts;
    }
}

TEST(Stabiliser, WithoutGainItOnlyScales) {
    const Stabiliser stabiliser({0.0, 9.0, 0.0}, {}, 0.0, 100.0);
    EXPECT_NEAR(stabiliser.forward(40.0) - stabiliser.forward(10.0), 10.0, 1e-9);
    for (const double sample : {-5.0, 0.0, 50.0, 120.0}) {
        EXPECT_NEAR(stabiliser.inverse(stabiliser.forward(sample)).mean, sample, 1e-9);
        EXPECT_NEAR(stabiliser.inverse(stabiliser.forward(sample)).slope, 3.0, 1e-9);
    }
}

TEST(Stabiliser, TheInverseIncreasesAndKeepsAboveTheOffset) {
    const Stabiliser stabiliser({20.0, 0.0, 3.0}, {}, 3.0, 255.0);
    double before = 3.0;
    for (double value = stabiliser.forward(0.0) - 5.0; value < stabiliser.forward(400.0); value += 0.01) {
        const double mean = stabiliser.inverse(value).mean;
        EXPECT_GE(mean, before);
        before = mean;
    }
    EXPECT_GT(before, 300.0);
}

TEST(Stabiliser, StandardDeviationsFollowTheSlope) {
    const Stabiliser stabiliser({2.0, 4.0, 0.0}, {}, 0.0, 255.0);
    Matrix estimate(1, 1, stabiliser.forward(100.0)), std(1, 1, 0.5);
    stabiliser.invert(estimate, std);
    EXPECT_NEAR(estimate(0, 0), 100.0, 1.0);
    EXPECT_NEAR(std(0, 0), 0.5 * std::sqrt(204.0), 0.1);
}

TEST(KeepMean, TheMeanOfTheSamplesIsKept) {
    Matrix noisy(4, 4, 12.0), estimate(4, 4, 11.5);
    keep_mean(noisy, {1.0, 0.0, 2.0}, {}, estimate);
    EXPECT_NEAR(estimate(1, 1), 12.0, 1e-12);
    Matrix far(4, 4, 6.0);  // more than smoothing explains: left alone
    keep_mean(noisy, {1.0, 0.0, 2.0}, {}, far);
    EXPECT_EQ(far(1, 1), 6.0);
}

// Where samples are clipped, their mean is that of the estimate after clipping: 12 of 10, whatever the factor.
TEST(KeepMean, KnowsWhatClippingDoesToTheMean) {
    const PoissonGaussian noise{1.0, 400.0, 0.0};
    ClipLevels levels;
    levels.low = 0.0;
    const double clipped = clipped_cumulants(noise, levels, 10.0).mean;
    EXPECT_GT(clipped, 13.0);
    Matrix noisy(4, 4, clipped), estimate(4, 4, 9.5);
    keep_mean(noisy, noise, levels, estimate);
    EXPECT_NEAR(estimate(1, 1), 10.0, 0.01);
    Matrix far(4, 4, 5.0);
    keep_mean(noisy, noise, levels, far);
    EXPECT_EQ(far(1, 1), 5.0);
}

TEST(Stabiliser, ClippingOfOneStrengthIsUndone) {
    const PoissonGaussian noise{0.0, 400.0, 0.0};
    const ClipLevels levels{0.0, 255.0};
    const Stabiliser stabiliser(noise, levels, 0.0, 255.0);
    for (const double mean : {0.0, 5.0, 30.0, 128.0, 240.0, 255.0}) {
        Matrix estimate(1, 1, clipped_cumulants(noise, levels, mean).mean), std(1, 1, 2.0);
        stabiliser.undo_clipping(estimate, std);
        EXPECT_NEAR(estimate(0, 0), mean, 0.3) << mean;
        EXPECT_NEAR(std(0, 0), mean == 128.0 ? 2.0 : std(0, 0), 1e-6);
        EXPECT_GE(std(0, 0), 2.0 - 1e-9);
        EXPECT_LE(std(0, 0), 4.2) << "no more than half of the noise is clipped";
    }
    Matrix beyond(1, 2, 0.0), none;
    beyond(0, 1) = 255.0;
    stabiliser.undo_clipping(beyond, none);
    EXPECT_NEAR(beyond(0, 0), 0.0, 1e-9);
    EXPECT_NEAR(beyond(0, 1), 255.0, 1e-9);
}

}  // namespace
}  // namespace sbdl
