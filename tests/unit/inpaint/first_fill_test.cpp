// The first fill: observed samples stay, a slope is continued, and a hole of any size is filled.
#include "inpaint/first_fill.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace sbdl
