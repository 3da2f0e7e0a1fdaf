// Half size and back: constant levels and agreement are kept, fine detail is left alone, the coarse part follows.
#include "denoise/half_size.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sbdl {
namespace {

Plane wave(std::size_t rows, std::size_t cols, double period) {
    Plane plane(rows, cols);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
            plane.set(i, j, std::cos(2.0 * std::numbers::pi * (static_cast<double>(j) + 0.5) / period));
    return plane;
}

double largest(const Plane& plane) {
    double most = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) most = std::max(most, std::abs(plane[i]));
    return most;
}

TEST(HalfSize, TakesMeansOfTwoByTwo) {
    Plane plane(5, 4);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.set(i, static_cast<double>(i));
    const Plane half = halve(plane, 2);
    ASSERT_EQ(half.rows(), 2U);
    ASSERT_EQ(half.cols(), 2U);
    EXPECT_EQ(half(0, 0), (0.0 + 1.0 + 4.0 + 5.0) / 4.0);
    EXPECT_EQ(half(1, 1), (10.0 + 11.0 + 14.0 + 15.0) / 4.0);
}

TEST(HalfSize, ChangesNothingWhereBothAgree) {
    Plane fine = wave(33, 40, 7.0);
    const Plane before = fine;
    add_coarse_part(halve(fine, 2), 2, fine);
    for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_EQ(fine[i], before[i]);
}

TEST(HalfSize, MovesALevelByTheShareOfTheCoarse) {
    for (const std::size_t cols : {16U, 17U}) {
        Plane fine(16, cols, {10.0, 8.0});
        add_coarse_part(Plane(8, 8, {20.0, 8.0}), 2, fine);
        for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_NEAR(fine[i], 17.0, 1e-6) << cols;
    }
}

TEST(HalfSize, AnOddLastColumnUsesTheBorder) {
    Plane coarse(8, 8);
    for (std::size_t i = 0; i < 8; ++i) coarse.set(i, 7, 1.0);
    Plane fine(16, 17);
    add_coarse_part(coarse, 2, fine);
    EXPECT_NEAR(fine(8, 16), 0.7 * 15.0 / 16.0, 1e-6);
    EXPECT_LT(fine(8, 14), fine(8, 15));
    EXPECT_LT(fine(8, 15), fine(8, 16));
}

// The response at a period is share * mean * blur * interpolation, each a cosine of it.
TEST(HalfSize, FinerWavesComeLessFromTheCoarsePart) {
    double before = 0.7;
    for (const double period : {64.0, 16.0, 8.0, 5.0}) {
        const Plane coarse = halve(wave(16, 320, period), 2);
        Plane fine(16, 320);
        add_coarse_part(coarse, 2, fine);
        double most = 0.0;
        for (std::size_t j = 100; j < 200; ++j) most = std::max(most, std::abs(fine(8, j)));
        EXPECT_LT(most, before) << period;
        before = most;
    }
    EXPECT_LT(before, 0.15);
    EXPECT_GT(before, 0.0);
    EXPECT_LE(largest(halve(wave(16, 64, 2.0), 2)), 1e-7);  // too fine to be seen at half size
}

}  // namespace
}  // namespace sbdl
