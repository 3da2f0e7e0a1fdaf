// The first fill: observed samples stay, a slope is continued, and a hole of any size is filled.
#include "inpaint/first_fill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random/stream.hpp"

namespace sbdl {
namespace {

Matrix slope(std::size_t rows, std::size_t cols) {
    Matrix plane(rows, cols);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
            plane(i, j) = 3.0 * static_cast<double>(i) - 2.0 * static_cast<double>(j);
    return plane;
}

double worst(const Matrix& a, const Matrix& b) {
    double most = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::fmax(most, std::abs(a.data()[k] - b.data()[k]));
    return most;
}

TEST(FirstFill, ContinuesASlopeThroughRandomGaps) {
    const Matrix truth = slope(40, 33);
    Matrix plane = truth;
    Observed observed(truth.size());
    DrawStream draw(1, {.purpose = Purpose::test});
    for (std::size_t k = 0; k < truth.size(); ++k) {
        observed[k] = draw.uniform() < 0.3 ? 1 : 0;
        if (observed[k] == 0) plane.data()[k] = 1e6;  // must not count
    }
    fill_smoothly(plane, observed);
    for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_TRUE(observed[k] == 0 || plane.data()[k] == truth.data()[k]);
    EXPECT_LT(worst(plane, truth), 4.0);  // at the edge, where the slope cannot be known, a pixel or two of it
}

TEST(FirstFill, OneObservedSampleFillsAll) {
    Matrix plane(21, 30, std::nan(""));
    Observed observed(plane.size());
    plane(4, 5) = 7.0;
    observed[4 * 30 + 5] = 1;
    fill_smoothly(plane, observed);
    EXPECT_LT(worst(plane, Matrix(21, 30, 7.0)), 1e-9);
}

TEST(FirstFill, ACompletePlaneStays) {
    const Matrix truth = slope(9, 9);
    Matrix plane = truth;
    fill_smoothly(plane, Observed(81, 1));
    EXPECT_EQ(worst(plane, truth), 0.0);
}

/// Planes with the same waves, which are too short for one plane's samples, on different slopes.
std::vector<Matrix> waves() {
    std::vector<Matrix> planes;
    for (const double steepness : {0.0, 1.0, -0.5}) {
        Matrix& plane = planes.emplace_back(slope(48, 40));
        for (std::size_t i = 0; i < plane.rows(); ++i)
            for (std::size_t j = 0; j < plane.cols(); ++j)
                plane(i, j) = 40.0 * std::sin(1.1 * static_cast<double>(i)) + steepness * plane(i, j);
    }
    return planes;
}

double mean_square_error(const std::vector<Matrix>& a, const std::vector<Matrix>& b) {
    double sum = 0.0, count = 0.0;
    for (std::size_t p = 0; p < a.size(); ++p)
        for (std::size_t k = 0; k < a[p].size(); ++k, count += 1.0)
            sum += (a[p].data()[k] - b[p].data()[k]) * (a[p].data()[k] - b[p].data()[k]);
    return sum / count;
}

TEST(FirstFill, PlanesThatMissDifferentSamplesHelpEachOther) {
    const std::vector<Matrix> truth = waves();
    std::vector<Matrix> alone = truth;
    std::vector<Observed> observed(truth.size(), Observed(truth[0].size()));
    DrawStream draw(2, {.purpose = Purpose::test});
    for (std::size_t p = 0; p < truth.size(); ++p)
        for (std::size_t k = 0; k < truth[p].size(); ++k) {
            observed[p][k] = draw.uniform() < 0.3 ? 1 : 0;
            if (observed[p][k] == 0) alone[p].data()[k] = std::nan("");
        }
    std::vector<Matrix> together = alone;
    for (std::size_t p = 0; p < truth.size(); ++p) fill_smoothly(alone[p], observed[p]);
    fill_planes_smoothly(together, observed);
    EXPECT_LT(mean_square_error(together, truth), 0.5 * mean_square_error(alone, truth));
    for (std::size_t p = 0; p < truth.size(); ++p)
        for (std::size_t k = 0; k < truth[p].size(); ++k)
            EXPECT_TRUE(observed[p][k] == 0 || together[p].data()[k] == truth[p].data()[k]);
}

TEST(FirstFill, PlanesThatMissTheSameSamplesAreFilledOneByOne) {
    std::vector<Matrix> alone = waves();
    Observed observed(alone[0].size());
    for (std::size_t k = 0; k < observed.size(); k += 3) observed[k] = 1;
    std::vector<Matrix> together = alone;
    for (Matrix& plane : alone) fill_smoothly(plane, observed);
    fill_planes_smoothly(together, std::vector<Observed>(alone.size(), observed));
    EXPECT_EQ(mean_square_error(together, alone), 0.0);
}

}  // namespace
}  // namespace sbdl
