// PSNR computed by hand, SSIM by its definition pixel by pixel, and closed forms of both.
#include "sbdl/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

Image constant(double value, std::size_t height = 12, std::size_t width = 14, std::size_t planes = 1) {
    Image image;
    image.planes.assign(planes, Matrix(height, width, value));
    return image;
}

Image random_image(std::uint64_t seed, std::size_t height, std::size_t width, std::size_t planes) {
    Image image = constant(0.0, height, width, planes);
    Numbers numbers(seed);
    for (Matrix& plane : image.planes)
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = 128.0 + 40.0 * numbers.normal();
    return image;
}

// The definition: means, variances and the covariance in the window around every pixel around which it fits, each a
// weighted sum over its 121 pixels.
double direct_ssim(const Matrix& x, const Matrix& y, double peak) {
    double weights[11][11], all = 0.0;
    for (int i = 0; i < 11; ++i)
        for (int j = 0; j < 11; ++j) {
            weights[i][j] = std::exp(-((i - 5) * (i - 5) + (j - 5) * (j - 5)) / (2.0 * 1.5 * 1.5));
            all += weights[i][j];
        }
    const double c1 = std::pow(0.01 * peak, 2), c2 = std::pow(0.03 * peak, 2);
    double sum = 0.0;
    std::size_t windows = 0;
    for (std::size_t top = 0; top + 11 <= x.rows(); ++top)
        for (std::size_t left = 0; left + 11 <= x.cols(); ++left, ++windows) {
            double mean_x = 0.0, mean_y = 0.0, var_x = 0.0, var_y = 0.0, cov = 0.0;
            for (std::size_t i = 0; i < 11; ++i)
                for (std::size_t j = 0; j < 11; ++j) {
                    mean_x += weights[i][j] / all * x(top + i, left + j);
                    mean_y += weights[i][j] / all * y(top + i, left + j);
                }
            for (std::size_t i = 0; i < 11; ++i)
                for (std::size_t j = 0; j < 11; ++j) {
                    const double off_x = x(top + i, left + j) - mean_x, off_y = y(top + i, left + j) - mean_y;
                    var_x += weights[i][j] / all * off_x * off_x;
                    var_y += weights[i][j] / all * off_y * off_y;
                    cov += weights[i][j] / all * off_x * off_y;
                }
            sum += (2.0 * mean_x * mean_y + c1) * (2.0 * cov + c2) /
                   ((mean_x * mean_x + mean_y * mean_y + c1) * (var_x + var_y + c2));
        }
    return sum / static_cast<double>(windows);
}

TEST(Psnr, ByHand) {
    EXPECT_NEAR(psnr(constant(100.0), constant(110.0), 255.0), 20.0 * std::log10(25.5), 1e-12);
    EXPECT_NEAR(psnr(constant(3.0), constant(2.0), 1.0), 0.0, 1e-12);
    // One sample in 48 is off by 4: the mean square is 1/3.
    Image truth = constant(50.0, 4, 4, 3), estimate = truth;
    estimate.planes[2](3, 1) += 4.0;
    EXPECT_NEAR(psnr(truth, estimate, 255.0), 10.0 * std::log10(255.0 * 255.0 * 3.0), 1e-12);
    EXPECT_EQ(psnr(truth, truth, 255.0), std::numeric_limits<double>::infinity());
}

TEST(Psnr, NothingIsClippedOrRounded) {
    EXPECT_NEAR(psnr(constant(0.0), constant(-0.25), 1.0), 20.0 * std::log10(4.0), 1e-12);
    EXPECT_NEAR(psnr(constant(255.0), constant(300.0), 255.0), 20.0 * std::log10(255.0 / 45.0), 1e-12);
}

TEST(Ssim, FollowsTheDefinition) {
    for (const auto& [height, width] : {std::pair<std::size_t, std::size_t>{11, 11}, {11, 20}, {23, 12}, {30, 25}}) {
        const Image truth = random_image(1, height, width, 1);
        Image estimate = random_image(2, height, width, 1);
        for (std::size_t i = 0; i < estimate.planes[0].size(); ++i)
            estimate.planes[0].data()[i] = 0.3 * estimate.planes[0].data()[i] + 0.7 * truth.planes[0].data()[i];
        EXPECT_NEAR(ssim(truth, estimate, 255.0), direct_ssim(truth.planes[0], estimate.planes[0], 255.0), 1e-12);
        EXPECT_NEAR(ssim(estimate, truth, 255.0), ssim(truth, estimate, 255.0), 1e-12);
    }
}

TEST(Ssim, OfColourIsTheMeanOfThePlanes) {
    const Image truth = random_image(3, 15, 16, 3), estimate = random_image(4, 15, 16, 3);
    double mean = 0.0;
    for (std::size_t p = 0; p < 3; ++p) mean += direct_ssim(truth.planes[p], estimate.planes[p], 255.0) / 3.0;
    EXPECT_NEAR(ssim(truth, estimate, 255.0), mean, 1e-12);
}

TEST(Ssim, EqualImagesGiveOne) {
    const Image image = random_image(5, 20, 20, 3);
    EXPECT_NEAR(ssim(image, image, 255.0), 1.0, 1e-13);
    EXPECT_NEAR(ssim(constant(0.0), constant(0.0), 1.0), 1.0, 1e-13);
}

// A constant and a shift of it have no variance; all that is left is (2 a b + c1) / (a^2 + b^2 + c1).
TEST(Ssim, ConstantImagesByHand) {
    const double c1 = 2.55 * 2.55;
    EXPECT_NEAR(ssim(constant(100.0), constant(150.0), 255.0), (2 * 100.0 * 150.0 + c1) / (1e4 + 2.25e4 + c1), 1e-12);
    EXPECT_NEAR(ssim(constant(0.0), constant(255.0), 255.0), c1 / (255.0 * 255.0 + c1), 1e-12);
}

// Float images may lie far from zero: a range of 1 at a level of a million.
TEST(Ssim, AHighLevelDoesNotCostPrecision) {
    Image truth = random_image(6, 14, 14, 1), estimate = random_image(7, 14, 14, 1);
    for (Image* image : {&truth, &estimate})
        for (std::size_t i = 0; i < image->planes[0].size(); ++i)
            image->planes[0].data()[i] = 1e6 + image->planes[0].data()[i] / 256.0;
    EXPECT_NEAR(ssim(truth, estimate, 1.0), direct_ssim(truth.planes[0], estimate.planes[0], 1.0), 1e-7);
}

TEST(Peak, IsTheScaleOfIntegersAndTheRangeOfFloats) {
    Image image = constant(7.0, 3, 3, 3);
    EXPECT_EQ(peak_of(image), 255.0);
    image.samples = Samples::u16;
    EXPECT_EQ(peak_of(image), 65535.0);
    image.samples = Samples::f32;
    EXPECT_EQ(peak_of(image), 1.0);
    image.planes[1](0, 2) = -1.5;
    image.planes[2](1, 1) = 9.0;
    EXPECT_EQ(peak_of(image), 10.5);
    image.samples = Samples::f64;
    EXPECT_EQ(peak_of(image), 10.5);
}

// 12 bits in a file of 16: what counts is the range that the image uses.
TEST(Range, IsThatOfTheValuesUnlessSamplesHave8Bits) {
    Image image = constant(100.0, 3, 3, 3);
    image.planes[1](0, 2) = 20.0;
    image.planes[2](1, 1) = 220.0;
    EXPECT_EQ(data_range(image).low, 0.0);
    EXPECT_EQ(data_range(image).width(), 255.0);
    for (const Samples samples : {Samples::u16, Samples::f32, Samples::f64}) {
        image.samples = samples;
        EXPECT_EQ(data_range(image).low, 20.0);
        EXPECT_EQ(data_range(image).high, 220.0);
        EXPECT_EQ(data_range(image).width(), 200.0);
    }
}

TEST(Range, OfAConstantImageIsOneWide) {
    Image image = constant(7.0);
    for (const Samples samples : {Samples::u16, Samples::f32}) {
        image.samples = samples;
        EXPECT_EQ(data_range(image).high, 7.0);
        EXPECT_EQ(data_range(image).width(), 1.0);
    }
}

TEST(Range, OfAStackIsThatOfAllPages) {
    Image page = constant(4000.0);
    page.samples = Samples::u16;
    DataRange range = data_range(page);
    page.planes[0](2, 3) = 120.0;
    range.include(page);
    page.planes[0] = Matrix(12, 14, 900.0);
    range.include(page);
    EXPECT_EQ(range.low, 120.0);
    EXPECT_EQ(range.width(), 3880.0);
}

TEST(Quality, RejectsImagesThatCannotBeCompared) {
    const Image truth = constant(1.0);
    for (const auto& measure : {psnr, ssim}) {
        expect_error<InputError>([&] { measure(truth, constant(1.0, 12, 15), 1.0); }, {"12 x 14", "12 x 15"});
        expect_error<InputError>([&] { measure(truth, constant(1.0, 12, 14, 3), 1.0); }, {"1 plane", "3 of"});
        expect_error<InputError>([&] { measure({}, {}, 1.0); }, {"empty"});
        for (const double peak : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
            expect_error<InputError>([&] { measure(truth, truth, peak); }, {"peak", "above 0"});
    }
    expect_error<InputError>([&] { ssim(constant(1.0, 10, 30), constant(1.0, 10, 30), 1.0); }, {"10 x 30", "11 x 11"});
}

TEST(ShareWithin, CountsByHand) {
    const Image truth = constant(10.0, 12, 14, 2);
    Image estimate = truth;
    const Image deviation = constant(2.0, 12, 14, 2);
    EXPECT_EQ(share_within(truth, estimate, deviation, 1.0), 1.0);
    for (std::size_t j = 0; j < 14; ++j) {
        estimate.planes[0](0, j) = 12.0;  // at the limit counts
        estimate.planes[1](3, j) = 6.5;   // between one and two
        estimate.planes[1](5, j) = 14.5;  // beyond two
    }
    EXPECT_NEAR(share_within(truth, estimate, deviation, 1.0), 22.0 / 24.0, 1e-15);
    EXPECT_NEAR(share_within(truth, estimate, deviation, 2.0), 23.0 / 24.0, 1e-15);
    EXPECT_THROW(share_within(truth, estimate, constant(2.0), 1.0), InputError);
}

}  // namespace
}  // namespace sbdl::test
