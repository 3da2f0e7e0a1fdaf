// Patches of correlated noise become white, and come back; and what that does to an image.
#include "denoise/whitening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "denoise/patches.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"

namespace sbdl {
namespace {

Autocovariance falling(double variance, double share) {
    Autocovariance noise;
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 3; ++x) {
            constexpr std::array<double, 3> power{1.0, 1.0, 0.25};
            noise.at[y][x] =
                variance * power[y] * power[x] * std::pow(share, (y > 0 ? 1.0 : 0.0) + (x > 0 ? 1.0 : 0.0));
        }
    return noise;
}

TEST(Whitening, WhiteNoiseIsOnlyDivided) {
    Autocovariance noise;
    noise.at[0][0] = 9.0;
    const Whitening whitening(noise, 4);
    for (Eigen::Index i = 0; i < 16; ++i)
        for (Eigen::Index k = 0; k < 16; ++k)
            EXPECT_NEAR(whitening.whiten()(i, k), ((i == k ? 1.0 : 0.0) - 1.0 / 16.0) / 3.0, 1e-12);
    EXPECT_NEAR(whitening.mean_variance(), 9.0 / 16.0, 1e-12);
}

// Both are inverse to each other for patches without their mean.
TEST(Whitening, ThereAndBack) {
    const Whitening whitening(falling(4.0, 0.5), 6);
    const Mat both = whitening.colour() * whitening.whiten();
    for (Eigen::Index i = 0; i < 36; ++i)
        for (Eigen::Index k = 0; k < 36; ++k) EXPECT_NEAR(both(i, k), (i == k ? 1.0 : 0.0) - 1.0 / 36.0, 1e-9);
    Matrix atoms(1, 36);
    atoms(0, 3) = std::sqrt(0.5);
    atoms(0, 20) = -std::sqrt(0.5);
    const Matrix back = whitening.coloured(whitening.whitened(atoms));
    for (std::size_t i = 0; i < 36; ++i) EXPECT_NEAR(back(0, i), atoms(0, i), 1e-9);
}

// With their mean, patches have noise in all directions: constant ones are not lost.
TEST(Whitening, MayKeepTheMean) {
    const Whitening whitening(falling(4.0, 0.5), 6, PatchMean::kept);
    EXPECT_LE((whitening.colour() * whitening.whiten() - Mat::Identity(36, 36)).cwiseAbs().maxCoeff(), 1e-9);
    const Whitening without(falling(4.0, 0.5), 6);
    const Vec constant = Vec::Ones(36);
    const double variance = constant.dot(whitening.colour() * whitening.colour() * constant) / (36.0 * 36.0);
    EXPECT_NEAR(variance, whitening.mean_variance(), 1e-9) << "that of the mean";
    EXPECT_EQ(whitening.mean_variance(), without.mean_variance());
    Autocovariance noise;
    noise.at[0][0] = 9.0;
    EXPECT_LE((Whitening(noise, 4, PatchMean::kept).whiten() - Mat::Identity(16, 16) / 3.0).cwiseAbs().maxCoeff(),
              1e-12);
}

// Noise of this covariance, whitened: its entries have variance 1 and are uncorrelated. 3481 patches 4 pixels apart,
// about as many independent ones: the mean of their squares is known to 0.5 %, a single product to 2 %.
TEST(Whitening, NoiseBecomesWhite) {
    const Autocovariance noise = falling(25.0, 0.5);
    const Matrix plane = noise_like(noise, 240, 240, 5, 1);
    const Whitening whitening(noise, 4);
    Mat sum = Mat::Zero(16, 16);
    double count = 0.0;
    for (std::size_t row = 0; row + 4 <= 240; row += 4)
        for (std::size_t col = 0; col + 4 <= 240; col += 4) {
            Vec patch(16);
            read_patch(plane, row, col, 4, 1.0, patch.data());
            const Vec white = whitening.whiten() * patch;
            sum += white * white.transpose();
            ++count;
        }
    sum /= count;
    EXPECT_NEAR(sum.trace() / 15.0, 1.0, 0.05);
    for (Eigen::Index i = 0; i < 16; ++i)
        for (Eigen::Index k = 0; k < i; ++k) EXPECT_NEAR(sum(i, k), -1.0 / 16.0, 0.12);
}

TEST(NoiseLike, HasTheCovarianceThatWasAskedFor) {
    const Autocovariance noise = falling(25.0, 0.5);
    const Matrix plane = noise_like(noise, 300, 300, 6, 1);
    const auto covariance = [&](std::size_t down, std::size_t across) {
        double sum = 0.0;
        for (std::size_t row = 0; row + down < 300; ++row)
            for (std::size_t col = 0; col + across < 300; ++col)
                sum += plane(row, col) * plane(row + down, col + across);
        return sum / static_cast<double>((300 - down) * (300 - across));
    };
    for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 4; ++x) EXPECT_NEAR(covariance(y, x), noise.at[y][x], 1.5) << y << ' ' << x;
    const Matrix again = noise_like(noise, 300, 300, 6, 3);
    EXPECT_TRUE(std::equal(plane.data(), plane.data() + plane.size(), again.data()));
}

Image with_correlated_noise(Image image, const Autocovariance& noise, std::uint64_t seed) {
    for (Matrix& plane : image.planes) {
        const Matrix added = noise_like(noise, plane.rows(), plane.cols(), seed++, 1);
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += added.data()[i];
    }
    image.samples = Samples::f32;
    return image;
}

DenoiseOptions few_atoms() {
    DenoiseOptions options;
    options.quality = Quality::fast;
    options.atoms = 64;
    options.max_patches = 2000;
    options.sweeps = 4;
    options.std = true;
    return options;
}

TEST(CorrelatedDenoise, GainsAndSaysWhatItFound) {
    const Image truth = make_image(160, 160, false, 1);
    const Image noisy = with_correlated_noise(truth, falling(400.0, 0.5), 7);
    const DenoiseResult result = denoise(noisy, few_atoms());
    ASSERT_EQ(result.noise.correlation.size(), 1U);
    EXPECT_NEAR(result.noise.correlation[0], 0.5, 0.15);
    EXPECT_NEAR(result.noise_sd, 20.0, 4.0);
    ASSERT_FALSE(result.noise.sentences.empty());
    EXPECT_NE(result.noise.sentences.back().find("correlated"), std::string::npos);
    EXPECT_GT(psnr(truth, result.image, 255.0), psnr(truth, noisy, 255.0) + 2.5);
    EXPECT_GT(share_within(truth, result.image, result.std, 2.0), 0.6);
    // The model has atoms of the image, of unit norm, and can be used again.
    DenoiseOptions again = few_atoms();
    again.sweeps = 0;
    again.model = &result.model;
    EXPECT_NEAR(psnr(truth, denoise(noisy, again).image, 255.0), psnr(truth, result.image, 255.0), 0.5);
}

TEST(CorrelatedDenoise, IsTheSameForAnyNumberOfThreads) {
    const Image noisy = with_correlated_noise(make_image(128, 136, false, 2), falling(400.0, 0.5), 8);
    Context one, three;
    one.execution.threads = 1;
    three.execution.threads = 3;
    DenoiseOptions options = few_atoms();
    options.atoms = 8;  // the thread sanitizer takes its time
    options.max_patches = 300;
    options.sweeps = 1;
    const DenoiseResult a = denoise(noisy, options, one), b = denoise(noisy, options, three);
    ASSERT_GT(a.noise.correlation[0], 0.2);
    for (std::size_t i = 0; i < noisy.planes[0].size(); ++i) {
        ASSERT_EQ(a.image.planes[0].data()[i], b.image.planes[0].data()[i]);
        ASSERT_EQ(a.std.planes[0].data()[i], b.std.planes[0].data()[i]);
    }
}

}  // namespace
}  // namespace sbdl
