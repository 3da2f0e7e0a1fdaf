// Salt and pepper are found, and told apart from the image and from other noise.
#include "denoise/impulses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "poisson_image.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/synth.hpp"

namespace sbdl {
namespace {

/// The painted image in 8 bits with noise of this standard deviation.
Matrix in_8_bits(double sd) {
    test::Numbers numbers(1);
    Matrix plane = make_image(160, 160, false, 5).planes[0];
    for (std::size_t i = 0; i < plane.size(); ++i)
        plane.data()[i] = std::clamp(std::round(plane.data()[i] + sd * numbers.normal()), 0.0, 255.0);
    return plane;
}

Matrix with_impulses(Matrix plane, double salt, double pepper) {
    test::Numbers numbers(2);
    for (std::size_t i = 0; i < plane.size(); ++i) {
        const double number = numbers.uniform();
        if (number < salt) plane.data()[i] = 255.0;
        if (number > 1.0 - pepper) plane.data()[i] = 0.0;
    }
    return plane;
}

TEST(Impulses, AreFoundBesideOtherNoise) {
    for (const double noise : {0.0, 15.0}) {
        EXPECT_NEAR(impulse_share(with_impulses(in_8_bits(noise), 0.02, 0.02)), 0.04, 0.01) << noise;
        EXPECT_NEAR(impulse_share(with_impulses(in_8_bits(noise), 0.1, 0.1)), 0.2, 0.03) << noise;
    }
    EXPECT_NEAR(impulse_share(with_impulses(in_8_bits(0.0), 0.03, 0.0)), 0.03, 0.01) << "salt alone";
}

TEST(Impulses, AreNotFoundWhereThereAreNone) {
    for (const double noise : {0.0, 5.0, 40.0, 100.0}) EXPECT_EQ(impulse_share(in_8_bits(noise)), 0.0) << noise;
    for (const double peak : {0.5, 2.0, 10.0, 60.0}) {
        const Matrix counts = test::scaled_to(make_image(160, 160, false, 5).planes[0], peak);
        EXPECT_EQ(impulse_share(test::with_poisson_noise(counts, {1.0, 0.0, 0.0}, 3)), 0.0) << peak;
    }
    EXPECT_EQ(impulse_share(Matrix(64, 64, 3.0)), 0.0);
    EXPECT_EQ(impulse_share(Matrix(2, 64, 3.0)), 0.0);
}

TEST(Impulses, AreNamedAndNothingElseIs) {
    Image noisy;
    noisy.planes = {with_impulses(in_8_bits(0.0), 0.03, 0.03)};
    DenoiseOptions options;
    options.atoms = 64;
    options.max_patches = 1000;
    options.sweeps = 2;
    options.quality = Quality::fast;
    const NoiseFound found = denoise(noisy, options).noise;
    EXPECT_NEAR(found.impulses, 0.06, 0.015);
    ASSERT_FALSE(found.sentences.empty());
    EXPECT_NE(found.sentences[0].find("salt and pepper"), std::string::npos) << found.sentences[0];
    for (const std::string& sentence : found.sentences) {
        EXPECT_EQ(sentence.find("white,"), std::string::npos) << sentence;
        EXPECT_EQ(sentence.find("grows"), std::string::npos) << sentence;
    }
}

}  // namespace
}  // namespace sbdl
