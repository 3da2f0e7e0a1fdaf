// Noise that grows with brightness and that neighbouring pixels share.
#include "denoise/correlated_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "denoise/noise_model.hpp"
#include "poisson_image.hpp"

namespace sbdl {
namespace {

/// The mean of pixels and their neighbours, with weights 1, 2, 1 along both axes. Beyond the edges it wraps around.
Matrix averaged_with_neighbours(const Matrix& plane) {
    constexpr std::array<double, 3> weight{0.25, 0.5, 0.25};
    Matrix result(plane.rows(), plane.cols());
    for (std::size_t row = 0; row < plane.rows(); ++row)
        for (std::size_t col = 0; col < plane.cols(); ++col)
            for (std::size_t y = 0; y < 3; ++y)
                for (std::size_t x = 0; x < 3; ++x)
                    result(row, col) +=
                        weight[y] * weight[x] *
                        plane((row + plane.rows() + y - 1) % plane.rows(), (col + plane.cols() + x - 1) % plane.cols());
    return result;
}

/// Stripes of 2 to 100 counts with this noise, which pixels share with their neighbours; its variance is kept.
Matrix stripes_with_shared_noise(const PoissonGaussian& noise, std::uint64_t seed) {
    const Matrix counts = test::steps_of_counts(192, 2.0, 100.0);
    Matrix off = test::with_poisson_noise(counts, noise, seed);
    for (std::size_t i = 0; i < off.size(); ++i) off.data()[i] -= noise.gain * counts.data()[i];
    Matrix shared = averaged_with_neighbours(off);
    constexpr double kept = 0.375;  // of the standard deviation: 6 / 16 of the variance along each axis
    for (std::size_t i = 0; i < shared.size(); ++i)
        shared.data()[i] = noise.gain * counts.data()[i] + shared.data()[i] / kept;
    return shared;
}

TEST(CorrelatedFit, FindsTheLineOfNoiseThatPixelsShare) {
    const VarianceFit fit = fit_correlated(stripes_with_shared_noise({2.0, 16.0, 0.0}, 1), {}, 1);
    ASSERT_TRUE(fit.grows());
    EXPECT_NEAR(fit.noise.gain, 2.0, 0.2);
    EXPECT_NEAR(fit.noise.variance(100.0), 216.0, 22.0);
}

TEST(CorrelatedFit, AutomaticDecisionUsesIt) {
    Image noisy;
    noisy.planes = {stripes_with_shared_noise({2.0, 16.0, 0.0}, 2)};
    noisy.samples = Samples::f32;
    std::vector<std::string> warnings;
    const NoiseModel model = find_noise_model(noisy, {}, 1, warnings);
    EXPECT_EQ(model.found.kind, NoiseKind::poisson_gaussian);
    DenoiseOptions one_strength;
    one_strength.noise = NoiseKind::gaussian;
    EXPECT_EQ(find_noise_model(noisy, one_strength, 1, warnings).found.kind, NoiseKind::gaussian);
}

TEST(CorrelatedFit, NoiseOfOneStrengthDoesNotGrow) {
    Matrix noise = test::with_poisson_noise(Matrix(192, 192, 0.0), {1.0, 100.0, 0.0}, 3);
    noise = averaged_with_neighbours(noise);
    const Matrix steps = test::steps_of_counts(192, 2.0, 200.0);
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] += steps.data()[i];
    EXPECT_FALSE(fit_correlated(noise, {}, 1).grows());
}

TEST(CorrelatedFit, WhiteNoiseIsLeftToTheOtherLine) {
    const Matrix steps = test::steps_of_counts(192, 2.0, 100.0);
    EXPECT_FALSE(fit_correlated(test::with_poisson_noise(steps, {2.0, 16.0, 0.0}, 4), {}, 1).grows());
}

TEST(CorrelatedFit, AnyNumberOfThreadsFindsTheSame) {
    const Matrix plane = stripes_with_shared_noise({2.0, 16.0, 0.0}, 5);
    EXPECT_EQ(fit_correlated(plane, {}, 1).noise.gain, fit_correlated(plane, {}, 3).noise.gain);
}

}  // namespace
}  // namespace sbdl
