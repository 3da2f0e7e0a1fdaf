// The painted image: repeatable, on its scale, with detail everywhere; and the noise added to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"

namespace sbdl::test {
namespace {

bool same(const Image& a, const Image& b) {
    const auto equal = [](const Matrix& x, const Matrix& y) {
        return x.rows() == y.rows() && x.cols() == y.cols() && std::equal(x.data(), x.data() + x.size(), y.data());
    };
    return std::equal(a.planes.begin(), a.planes.end(), b.planes.begin(), b.planes.end(), equal);
}

double mean(const Matrix& plane) {
    double sum = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) sum += plane.data()[i];
    return sum / static_cast<double>(plane.size());
}

TEST(MakeImage, IsOnTheScaleOfBytesAtAnySize) {
    for (const auto& [height, width] : {std::pair<std::size_t, std::size_t>{8, 8}, {8, 61}, {33, 9}, {47, 64}})
        for (const bool colour : {false, true}) {
            const Image image = make_image(height, width, colour, 3);
            EXPECT_EQ(image.samples, Samples::u8);
            EXPECT_TRUE(image.alpha.empty());
            ASSERT_EQ(image.planes.size(), colour ? 3U : 1U);
            for (const Matrix& plane : image.planes) {
                ASSERT_EQ(plane.rows(), height);
                ASSERT_EQ(plane.cols(), width);
                for (std::size_t i = 0; i < plane.size(); ++i) {
                    const double value = plane.data()[i];
                    ASSERT_TRUE(value >= 0.0 && value <= 255.0 && value == std::round(value)) << value;
                }
                const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
                EXPECT_GT(*most - *least, 50.0);
            }
        }
}

TEST(MakeImage, DependsOnTheSeedAlone) {
    const Image first = make_image(40, 48, true, 7);
    EXPECT_TRUE(same(first, make_image(40, 48, true, 7)));
    EXPECT_FALSE(same(first, make_image(40, 48, true, 8)));
    EXPECT_FALSE(same(first, make_image(40, 48, true, 7 + (std::uint64_t{1} << 32))));
}

TEST(MakeImage, GreyIsTheLuminanceOfTheColours) {
    const Image colour = make_image(32, 32, true, 1), grey = make_image(32, 32, false, 1);
    for (std::size_t i = 0; i < grey.planes[0].size(); ++i) {
        const double luminance = 0.299 * colour.planes[0].data()[i] + 0.587 * colour.planes[1].data()[i] +
                                 0.114 * colour.planes[2].data()[i];
        EXPECT_NEAR(grey.planes[0].data()[i], luminance, 25.0);  // colours are clipped one by one
    }
    EXPECT_NEAR(mean(grey.planes[0]),
                0.299 * mean(colour.planes[0]) + 0.587 * mean(colour.planes[1]) + 0.114 * mean(colour.planes[2]), 2.0);
}

// An image for denoising needs detail: every ninth of every image has contrast.
TEST(MakeImage, SomethingIsEverywhere) {
    for (const std::uint64_t seed : {0, 1, 2}) {
        const Matrix plane = make_image(96, 96, false, seed).planes[0];
        for (std::size_t top = 0; top < 96; top += 32)
            for (std::size_t left = 0; left < 96; left += 32) {
                double sum = 0.0, squares = 0.0;
                for (std::size_t i = top; i < top + 32; ++i)
                    for (std::size_t j = left; j < left + 32; ++j) {
                        sum += plane(i, j) / 1024.0;
                        squares += plane(i, j) * plane(i, j) / 1024.0;
                    }
                EXPECT_GT(std::sqrt(squares - sum * sum), 8.0) << top << ' ' << left << " seed " << seed;
            }
    }
}

TEST(MakeImage, RejectsSizesOutOfBounds) {
    for (const std::size_t side :
         {std::size_t{0}, std::size_t{7}, std::size_t{32769}, std::numeric_limits<std::size_t>::max()}) {
        expect_error<InputError>([&] { make_image(side, 20, false, 0); }, {std::to_string(side), "8 to 32768"});
        expect_error<InputError>([&] { make_image(20, side, false, 0); }, {std::to_string(side), "8 to 32768"});
    }
}

// 3 x 80 x 90 samples: the mean of the noise has a standard deviation of sd / 147, its square one of sd^2 sqrt(2) /
// 147. Bounds of 5.5 of them raise a false alarm at a rate below 1e-7.
TEST(MakeNoisy, IsGaussianOfThatStrengthAndNeitherClippedNorRounded) {
    const Image truth = make_image(80, 90, true, 2), noisy = make_noisy(truth, 25.0, 2);
    EXPECT_EQ(noisy.samples, Samples::f32);
    double sum = 0.0, squares = 0.0;
    std::size_t beyond = 0, whole = 0;
    const double count = 3.0 * 80.0 * 90.0;
    for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t i = 0; i < truth.planes[p].size(); ++i) {
            const double value = noisy.planes[p].data()[i], noise = (value - truth.planes[p].data()[i]) / 25.0;
            sum += noise / count;
            squares += noise * noise / count;
            beyond += value < 0.0 || value > 255.0;
            whole += value == std::round(value);
        }
    EXPECT_NEAR(sum, 0.0, 5.5 / std::sqrt(count));
    EXPECT_NEAR(squares, 1.0, 5.5 * std::sqrt(2.0 / count));
    EXPECT_GT(beyond, 100U);
    EXPECT_EQ(whole, 0U);
}

TEST(MakeNoisy, DependsOnTheSeedAndLeavesTheTruthWithoutNoise) {
    const Image truth = make_image(16, 20, true, 2);
    EXPECT_TRUE(same(make_noisy(truth, 3.0, 5), make_noisy(truth, 3.0, 5)));
    EXPECT_FALSE(same(make_noisy(truth, 3.0, 5), make_noisy(truth, 3.0, 6)));
    EXPECT_TRUE(same(make_noisy(truth, 0.0, 5), truth));
    for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        expect_error<InputError>([&] { make_noisy(truth, wrong, 0); }, {"sigma", "at least 0"});
}

}  // namespace
}  // namespace sbdl::test
