// Standard deviations scaled by what the residual shows.
#include "denoise/groups/error_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/compute_scope.hpp"
#include "group_planes.hpp"
#include "support/same_result.hpp"

namespace sbdl {
namespace {

constexpr double level_noise = 10.0;

/// Where neighbours differ in sign they disagree by `size` squared, in units of the noise, and elsewhere they agree.
Matrix chequered_above(std::size_t first_even_row, std::size_t height, std::size_t width, double size) {
    Matrix residual(height, width, size * level_noise);
    for (std::size_t row = 0; row < std::min(first_even_row, height); ++row)
        for (std::size_t col = (row + 1) % 2; col < width; col += 2) residual(row, col) = -size * level_noise;
    return residual;
}

/// The factors by which standard deviations of `share` of the noise are changed.
Matrix factors(const Matrix& residual, double share, int threads = 1) {
    const ComputeScope scope;
    const Plane noisy(residual), estimate(residual.rows(), residual.cols());
    Plane std(residual.rows(), residual.cols(), {0.0, 1.0});
    for (std::size_t i = 0; i < std.size(); ++i) std.set(i, share * level_noise);
    scale_to_residual(noisy, estimate, level_noise, threads, std);
    Matrix changed = std.matrix();
    for (std::size_t i = 0; i < std.size(); ++i) changed.data()[i] /= share * level_noise;
    return changed;
}

/// For an agreement u that has the standard deviation `chance` by chance.
double factor_for(double u, double chance) {
    const double change = 2.7 * (u + 0.45) * 0.45 * 0.45 / (0.45 * 0.45 + chance * chance);
    return std::exp(0.5 * std::clamp(change, -1.4, 1.4));
}

// One cell: 2 x 31 x 32 pairs of neighbours.
TEST(ErrorLevel, FollowsTheAgreementOfNeighbours) {
    const double pairs = 2.0 * 31.0 * 32.0;
    for (const double size : {0.0, 0.05, 0.1, 0.15})
        for (const double share : {0.15, 0.3}) {
            SCOPED_TRACE(testing::Message() << size << ' ' << share);
            const double u = size * size / (share * share), chance = 1.0 / (std::sqrt(pairs) * share * share);
            const Matrix agree = factors(chequered_above(0, 32, 32, size), share);
            const Matrix disagree = factors(chequered_above(32, 32, 32, size), share);
            for (const std::size_t i : {std::size_t{0}, std::size_t{500}, std::size_t{1023}}) {
                EXPECT_NEAR(agree.data()[i], factor_for(u, chance), 1e-6);
                EXPECT_NEAR(disagree.data()[i], factor_for(-u, chance), 1e-6);
            }
        }
}

TEST(ErrorLevel, ChangesStayWithinAFactorOfTwo) {
    EXPECT_NEAR(factors(chequered_above(0, 40, 40, 1.0), 0.2)(20, 20), std::exp(0.7), 1e-6);
    EXPECT_NEAR(factors(chequered_above(40, 40, 40, 1.0), 0.2)(20, 20), std::exp(-0.7), 1e-6);
}

// A few pixels say nothing: what a residual of noise shows there is chance.
TEST(ErrorLevel, HardlyMovesInASmallImage) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        EXPECT_NEAR(factors(test::with_white_noise(Matrix(12, 12), level_noise, seed), 0.2)(6, 6), 1.0, 0.15) << seed;
}

TEST(ErrorLevel, WithoutStandardDeviationsThereIsNothingToScale) {
    const ComputeScope scope;
    const Plane noisy(test::with_white_noise(Matrix(20, 20), level_noise, 1)), estimate(20, 20);
    Plane std(20, 20);
    scale_to_residual(noisy, estimate, level_noise, 1, std);
    for (std::size_t i = 0; i < std.size(); ++i) ASSERT_EQ(std[i], 0.0);
}

// Windows have a Gaussian of 48 pixels over cells of 32 and end after four of them: the first rows see nothing of those
// from 192 on. Two columns of cells; pixels on the right and lower border have one neighbour less.
TEST(ErrorLevel, EachPartOfAnImageHasItsOwn) {
    const double size = 0.1, share = 0.2, u = size * size / (share * share);
    const Matrix found = factors(chequered_above(192, 384, 64, size), share);
    double pairs = 0.0, squares = 0.0;
    for (int down = 0; down <= 4; ++down)
        for (int across = 0; across <= 1; ++across) {
            const double weight = std::exp(-0.5 * (down * down + across * across) * 32.0 * 32.0 / (48.0 * 48.0));
            const double here = 2.0 * 32.0 * 32.0 - (across == 1 ? 32.0 : 0.0);
            pairs += weight * here;
            squares += weight * weight * here;
        }
    const double top = factor_for(-u, std::sqrt(squares) / pairs / (share * share));
    for (const std::size_t row : {0U, 15U}) EXPECT_NEAR(found(row, 0), top, 1e-6);
    EXPECT_GT(found(383, 0), 1.3 * top);
    for (std::size_t row = 1; row < 384; ++row) {
        ASSERT_GE(found(row, 30), found(row - 1, 30) * (1.0 - 1e-6)) << row;
        ASSERT_LE(found(row, 30), found(row - 1, 30) * 1.02) << row;
    }
}

// Half way between the middles of two cells is the mean of the logarithms.
TEST(ErrorLevel, IsInterpolatedBetweenCells) {
    const Matrix found = factors(chequered_above(64, 128, 32, 0.1), 0.2);
    for (const std::size_t middle : {15U, 47U, 79U}) {
        const auto log_at = [&](std::size_t row) { return std::log(found(row, 16)); };
        const double step = log_at(middle + 2) - log_at(middle + 1);
        EXPECT_NEAR(log_at(middle + 31) - log_at(middle + 1), 30.0 * step, 1e-5) << middle;
    }
    EXPECT_EQ(found(0, 16), found(15, 16));
    EXPECT_EQ(found(127, 16), found(112, 16));
}

TEST(ErrorLevel, IsTheSameForAnyNumberOfThreads) {
    const Matrix residual = test::with_white_noise(Matrix(100, 70), level_noise, 2), one = factors(residual, 0.2);
    EXPECT_TRUE(test::same_bits(factors(residual, 0.2, 3), one));
}

TEST(ErrorLevel, OtherPlanesAreSharpened) {
    Plane std(1, 3);
    std.set(0, 0.1 * level_noise);
    std.set(1, 0.5 * level_noise);
    std.set(2, 0.8 * level_noise);
    sharpen_std(level_noise, std);
    EXPECT_NEAR(std(0, 0), level_noise * std::sqrt(2.0 * 0.001), 1e-6);
    EXPECT_NEAR(std(0, 1), 0.5 * level_noise, 1e-6);
    EXPECT_NEAR(std(0, 2), level_noise * std::sqrt(2.0 * 0.512), 1e-6);
}

}  // namespace
}  // namespace sbdl
