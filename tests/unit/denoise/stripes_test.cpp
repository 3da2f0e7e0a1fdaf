// Stripes are found, and told apart from an image and from noise of single pixels.
#include "denoise/stripes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/denoise.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Matrix painted(std::size_t side) {
    return make_image(side, side, false, 5).planes[0];
}

Matrix with_stripes(Matrix plane, double rows, double columns) {
    test::Numbers numbers(3);
    std::vector<double> of_column(plane.cols());
    for (double& value : of_column) value = columns * numbers.normal();
    for (std::size_t row = 0; row < plane.rows(); ++row) {
        const double of_row = rows * numbers.normal();
        for (std::size_t col = 0; col < plane.cols(); ++col) plane(row, col) += of_row + of_column[col];
    }
    return plane;
}

Matrix noise_on_top(Matrix plane, double sd) {
    test::Numbers numbers(4);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += sd * numbers.normal();
    return plane;
}

TEST(Stripes, AreFoundBesideOtherNoise) {
    for (const double noise : {0.0, 15.0}) {
        const Stripes rows = find_stripes(noise_on_top(with_stripes(painted(160), 6.0, 0.0), noise));
        EXPECT_NEAR(rows.rows, 6.0, 1.5) << noise;
        EXPECT_EQ(rows.columns, 0.0) << noise;
    }
    const Stripes both = find_stripes(with_stripes(painted(160), 6.0, 8.0));
    EXPECT_NEAR(both.rows, 6.0, 1.5);
    EXPECT_NEAR(both.columns, 8.0, 2.0);
}

TEST(Stripes, AreNotFoundWhereThereAreNone) {
    Matrix bars(160, 160);  // of eight rows each, an image
    for (std::size_t row = 0; row < bars.rows(); ++row)
        std::fill_n(bars.row(row).data(), bars.cols(), 40.0 + 20.0 * static_cast<double>(row / 8 * 7 % 5));
    for (const Matrix& plane : {painted(160), bars, Matrix(160, 160, 7.0)})
        for (const double noise : {0.0, 2.0, 15.0}) {
            const Stripes found = find_stripes(noise_on_top(plane, noise));
            EXPECT_EQ(found.rows, 0.0) << noise;
            EXPECT_EQ(found.columns, 0.0) << noise;
        }
    EXPECT_EQ(find_stripes(with_stripes(painted(40), 6.0, 0.0)).rows, 0.0) << "too small to tell";
}

TEST(Stripes, AreNamedAndTheImageIsNotMadeWorse) {
    const Image truth = make_image(128, 128, false, 5);
    Image noisy = truth;
    noisy.samples = Samples::f32;
    noisy.planes[0] = with_stripes(truth.planes[0], 8.0, 0.0);
    DenoiseOptions options;
    options.atoms = 64;
    options.max_patches = 1000;
    options.sweeps = 2;
    options.quality = Quality::fast;
    const DenoiseResult result = denoise(noisy, options);
    EXPECT_GT(result.noise.row_stripes, 5.0);
    ASSERT_FALSE(result.noise.sentences.empty());
    EXPECT_NE(result.noise.sentences[0].find("whole rows"), std::string::npos) << result.noise.sentences[0];
    EXPECT_GE(psnr(truth, result.image, 255.0), psnr(truth, noisy, 255.0));
    options.sigma = 8.0;
    EXPECT_EQ(denoise(noisy, options).noise.row_stripes, 0.0) << "the noise is given";
}

}  // namespace
}  // namespace sbdl
