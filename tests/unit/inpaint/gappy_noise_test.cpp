// The noise of an incomplete plane, from smooth shading with known noise. The windows that are used have about 2500
// degrees of freedom that are independent: the standard error is 1.5 %, and 8 % is more than five of them.
#include "inpaint/gappy_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random/stream.hpp"

namespace sbdl {
namespace {

void expect_noise(double share) {
    constexpr double sigma = 7.0;
    Matrix plane(160, 160);
    Observed observed(plane.size());
    DrawStream draw(2, {.purpose = Purpose::test});
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j) {
            const bool busy = j > 110;  // texture, in which the noise cannot be seen
            const double texture = busy ? 60.0 * std::sin(2.1 * static_cast<double>(i + 2 * j)) : 0.0;
            plane(i, j) = 100.0 + 40.0 * std::sin(0.03 * static_cast<double>(i)) + texture + sigma * draw.normal();
            observed[i * plane.cols() + j] = draw.uniform() < share ? 1 : 0;
        }
    for (std::size_t k = 0; k < plane.size(); ++k)
        if (observed[k] == 0) plane.data()[k] = std::nan("");
    EXPECT_NEAR(estimate_gappy_noise(plane, observed, 1), sigma, 0.08 * sigma);
    EXPECT_EQ(estimate_gappy_noise(plane, observed, 1), estimate_gappy_noise(plane, observed, 3));
}

TEST(GappyNoise, HalfObserved) {
    expect_noise(0.5);
}
TEST(GappyNoise, AFifthObserved) {
    expect_noise(0.2);
}
TEST(GappyNoise, NearlyAllObserved) {
    expect_noise(0.95);
}

TEST(GappyNoise, AConstantPlaneHasNone) {
    EXPECT_EQ(estimate_gappy_noise(Matrix(64, 64, 3.0), Observed(64 * 64, 1), 1), 0.0);
}

}  // namespace
}  // namespace sbdl
