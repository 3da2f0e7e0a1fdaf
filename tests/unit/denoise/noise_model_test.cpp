// The planes of a colour image: each has a line of its own, or all share one; no brightness is lost.
#include "denoise/noise_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "poisson_image.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

/// Eight stripes from black to white, with noise whose variance is 3 in the dark and then a line that meets zero at 40:
/// a colour whose noise comes from the luminance.
Matrix noisy_above(double dark, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix plane = test::steps_of_counts(192, 0.0, 224.0);
    for (std::size_t i = 0; i < plane.size(); ++i) {
        double& value = plane.data()[i];
        value += std::sqrt(std::max(0.5 * (value - dark), 3.0)) * numbers.normal();
    }
    return plane;
}

Image colour_of(Matrix red, Matrix green, Matrix blue) {
    Image image;
    image.planes = {std::move(red), std::move(green), std::move(blue)};
    image.samples = Samples::f32;
    return image;
}

NoiseModel model_of(const Image& image) {
    std::vector<std::string> warnings;
    NoiseModel model = find_noise_model(image, {}, 1, warnings);
    EXPECT_TRUE(warnings.empty());
    return model;
}

// The mean of transformed samples, inverted, is the mean of the samples, also in the dark stripes.
TEST(NoiseModel, DarkPartsOfAColourAreKept) {
    const Image image = colour_of(noisy_above(40.0, 1), noisy_above(40.0, 2), noisy_above(40.0, 3));
    const NoiseModel model = model_of(image);
    ASSERT_EQ(model.stabilisers.size(), 3);
    const Matrix& blue = image.planes[2];
    for (std::size_t stripe = 0; stripe < 8; ++stripe) {
        double sum = 0.0, transformed = 0.0;
        for (std::size_t row = 24 * stripe; row < 24 * (stripe + 1); ++row)
            for (const double value : blue.row(row)) {
                sum += value;
                transformed += model.stabilisers[2].forward(value);
            }
        const double count = 24.0 * static_cast<double>(blue.cols());
        // The mean of 4608 samples has a standard deviation of at most 0.14; the noise in the dark is overestimated.
        EXPECT_NEAR(model.stabilisers[2].inverse(transformed / count).mean, sum / count, 1.0) << stripe;
    }
}

TEST(NoiseModel, APlaneWithoutALineTakesThatOfTheOthers) {
    const PoissonGaussian truth{2.0, 16.0, 0.0};
    const Matrix steps = test::steps_of_counts(160, 2.0, 100.0);
    const NoiseModel model = model_of(colour_of(test::with_poisson_noise(steps, truth, 1),
                                                test::with_poisson_noise(Matrix(160, 160, 30.0), truth, 2),
                                                test::with_poisson_noise(steps, truth, 3)));
    ASSERT_EQ(model.found.planes.size(), 3);
    for (const PlaneNoise& plane : model.found.planes) {
        EXPECT_TRUE(plane.grows);
        EXPECT_NEAR(plane.gain, 2.0, 0.15);
        EXPECT_NEAR(plane.read_noise, 4.0, 0.8);
    }
}

/// Eight stripes of 0 to 100 with Gaussian noise whose variance is a line from `dark` to `bright`.
Matrix stripes_with_variance(double dark, double bright, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix plane = test::steps_of_counts(96, 0.0, 100.0);
    for (std::size_t i = 0; i < plane.size(); ++i) {
        double& value = plane.data()[i];
        value += std::sqrt(dark + (bright - dark) * value / 100.0) * numbers.normal();
    }
    return plane;
}

// The gain of the lone colour is some 10 standard deviations above 0 (of the other two it is negative).
TEST(NoiseModel, OneColourAloneDoesNotDecide) {
    const Matrix growing = stripes_with_variance(100.0, 200.0, 1);
    Image grey;
    grey.planes = {growing};
    grey.samples = Samples::f32;
    EXPECT_EQ(model_of(grey).found.kind, NoiseKind::poisson_gaussian);
    const Matrix falling = stripes_with_variance(100.0, 60.0, 2);
    const NoiseModel model = model_of(colour_of(growing, falling, falling));
    EXPECT_EQ(model.found.kind, NoiseKind::gaussian);
    EXPECT_TRUE(model.stabilisers.empty());
}

// That of the third falls, so the planes together have no line, and two of them are enough.
TEST(NoiseModel, AColourThatDoesNotGrowBesideOthersHasNoiseOfOneStrength) {
    const Matrix falling = stripes_with_variance(400.0, 40.0, 3);
    const NoiseModel model =
        model_of(colour_of(stripes_with_variance(100.0, 200.0, 1), stripes_with_variance(100.0, 200.0, 2), falling));
    ASSERT_EQ(model.found.kind, NoiseKind::poisson_gaussian);
    const PlaneNoise& blue = model.found.planes[2];
    EXPECT_TRUE(model.found.planes[0].grows && model.found.planes[1].grows);
    EXPECT_FALSE(blue.grows);
    EXPECT_EQ(blue.gain, 0.0);
    EXPECT_NEAR(blue.read_noise, std::sqrt(model.stabilisers[2].noise().variance(50.0)), 1e-9);
    EXPECT_GT(blue.read_noise, 3.0);
}

TEST(NoiseModel, PlanesThatAllHaveALineKeepTheirOwn) {
    const Matrix steps = test::steps_of_counts(160, 2.0, 100.0);
    const NoiseModel model = model_of(colour_of(test::with_poisson_noise(steps, {1.0, 4.0, 0.0}, 1),
                                                test::with_poisson_noise(steps, {2.0, 16.0, 0.0}, 2),
                                                test::with_poisson_noise(steps, {4.0, 64.0, 0.0}, 3)));
    for (std::size_t p = 0; p < 3; ++p)
        EXPECT_NEAR(model.found.planes[p].gain / std::pow(2.0, static_cast<double>(p)), 1.0, 0.08) << p;
}

DenoiseOptions few_patches() {
    DenoiseOptions options;
    options.quality = Quality::fast;
    options.atoms = 64;
    options.max_patches = 1000;
    options.sweeps = 2;
    return options;
}

// The standard deviation of each transformed colour is 1, and so that of independent colours' luminance is 1. Of the
// same noise in all colours it is the root of 3, and the colour differences have none.
TEST(NoiseModel, NoiseThatAllColoursShareIsThatOfTheLuminance) {
    const Matrix steps = test::steps_of_counts(96, 2.0, 100.0);
    const Matrix shared = test::with_poisson_noise(steps, {2.0, 4.0, 0.0}, 1);
    const DenoiseResult same = denoise(colour_of(shared, shared, shared), few_patches());
    EXPECT_EQ(same.noise.kind, NoiseKind::poisson_gaussian);
    EXPECT_NEAR(same.plane_noise[0], std::sqrt(3.0), 0.15);
    EXPECT_LT(same.plane_noise[1], 0.1);
    const DenoiseResult own = denoise(colour_of(shared, test::with_poisson_noise(steps, {2.0, 4.0, 0.0}, 2),
                                                test::with_poisson_noise(steps, {2.0, 4.0, 0.0}, 3)),
                                      few_patches());
    EXPECT_EQ(own.plane_noise, std::vector<double>(3, 1.0));
}

/// The root mean square of what is left of transformed noise about its mean in each of eight stripes.
double measured_after_transform(const Stabiliser& transform, const Matrix& noisy) {
    double squares = 0.0;
    const std::size_t height = noisy.rows() / 8;
    for (std::size_t stripe = 0; stripe < 8; ++stripe) {
        double sum = 0.0, sum2 = 0.0;
        for (std::size_t row = height * stripe; row < height * (stripe + 1); ++row)
            for (const double sample : noisy.row(row)) {
                const double value = transform.forward(sample);
                sum += value;
                sum2 += value * value;
            }
        const double count = static_cast<double>(height * noisy.cols()), mean = sum / count;
        squares += sum2 / count - mean * mean;
    }
    return std::sqrt(squares / 8.0);
}

// With few counts and read noise the transform leaves somewhat more than 1, and the image is cleaned of that.
TEST(NoiseModel, NoiseAfterTheTransformIsWhatItIs) {
    Image noisy;
    noisy.samples = Samples::f32;
    noisy.planes = {test::with_poisson_noise(test::steps_of_counts(192, 1.0, 5.0), {1.0, 4.0, 0.0}, 1)};
    DenoiseOptions options = few_patches();
    options.gain = 1.0;
    options.read_noise = 2.0;
    options.offset = 0.0;
    std::vector<std::string> warnings;
    const NoiseModel model = find_noise_model(noisy, options, 1, warnings);
    const double measured = measured_after_transform(model.stabilisers[0], noisy.planes[0]);
    EXPECT_GT(measured, 1.03);
    EXPECT_NEAR(transformed_noise(noisy, model), measured, 0.015);
    EXPECT_NEAR(denoise(noisy, options).plane_noise[0], measured, 0.015);

    noisy.planes = {test::with_poisson_noise(test::steps_of_counts(192, 20.0, 100.0), {1.0, 4.0, 0.0}, 1)};
    EXPECT_EQ(transformed_noise(noisy, find_noise_model(noisy, options, 1, warnings)), 1.0);
}

// Two of eight stripes are brighter than the scale. Samples there say only that.
TEST(NoiseModel, EstimatesStayWithinTheScale) {
    Image noisy;
    noisy.planes = {test::with_poisson_noise(test::steps_of_counts(128, 2.0, 150.0), {2.0, 4.0, 0.0}, 1)};
    for (std::size_t i = 0; i < noisy.planes[0].size(); ++i)
        noisy.planes[0].data()[i] = std::clamp(std::round(noisy.planes[0].data()[i]), 0.0, 220.0);
    noisy.samples = Samples::f32;
    DenoiseOptions options = few_patches();
    options.gain = 2.0;
    options.read_noise = 2.0;
    options.std = true;
    const DenoiseResult result = denoise(noisy, options);
    ASSERT_EQ(result.noise.kind, NoiseKind::poisson_gaussian);
    const Matrix& clean = result.image.planes[0];
    const auto [least, most] = std::minmax_element(clean.data(), clean.data() + clean.size());
    EXPECT_GE(*least, 0.0);
    EXPECT_LE(*most, 220.0);
    EXPECT_GT(clean(120, 64), 215.0);
    // The noise has a standard deviation of 21 there.
    const Matrix& std = result.std.planes[0];
    EXPECT_LT(*std::max_element(std.data(), std.data() + std.size()), 50.0);
}

// As of two fluorescent dyes in an image with three colours.
TEST(NoiseModel, AColourWithoutAnyLightStaysEmpty) {
    const Matrix steps = test::steps_of_counts(96, 2.0, 100.0);
    DenoiseOptions options = few_patches();
    options.gain = 2.0;
    options.read_noise = 0.0;
    const DenoiseResult result = denoise(colour_of(test::with_poisson_noise(steps, {2.0, 0.0, 0.0}, 1),
                                                   test::with_poisson_noise(steps, {2.0, 0.0, 0.0}, 2), Matrix(96, 96)),
                                         options);
    for (std::size_t i = 0; i < result.image.planes[2].size(); ++i)
        ASSERT_NEAR(result.image.planes[2].data()[i], 0.0, 4.0) << i;
}

TEST(NoiseModel, AnOffsetAboveTheImageIsRejected) {
    Image image;
    image.planes = {test::with_poisson_noise(test::steps_of_counts(64, 2.0, 50.0), {2.0, 4.0, 0.0}, 1)};
    image.samples = Samples::f32;
    DenoiseOptions options = few_patches();
    options.gain = 2.0;
    options.offset = 300.0;
    test::expect_error<InputError>([&] { (void)denoise(image, options); }, {"offset is 300", "largest value"});
}

}  // namespace
}  // namespace sbdl
