// The share of the first estimate, for estimates that are multiples of the noisy plane, where the best share is known.
#include "denoise/blend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Plane times(double factor, const Plane& plane) {
    Plane result = plane;
    for (std::size_t i = 0; i < plane.size(); ++i) result.set(i, factor * plane[i]);
    return result;
}

Plane noisy_plane(std::size_t height, std::size_t width, double level, double sigma) {
    test::Numbers numbers(1);
    Matrix plane(height, width);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = level + sigma * numbers.normal();
    return Plane(plane);
}

TwoEstimates multiples(const Plane& plane, double pilot, double posterior) {
    return {times(pilot, plane), times(posterior, plane)};
}

double share_for(const Plane& plane, double sigma, double pilot, double posterior) {
    return pilot_share(plane, multiples(plane, pilot, posterior), sigma, 7, 1,
                       [&](const Plane& probed) { return multiples(probed, pilot, posterior); });
}

TEST(Blend, IsTheMinimumOfTheRiskMinusTheHeadStart) {
    const double sigma = 2.0, pilot = 1.0, posterior = 0.5;
    const Plane plane = noisy_plane(60, 50, 3.0, sigma);
    double squares = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) squares += plane[i] * plane[i];
    // Of all multiples f y the best has f = 1 - n sigma^2 / ||y||^2.
    const double best = 1.0 - static_cast<double>(plane.size()) * sigma * sigma / squares;
    const double share = (best - posterior) / (pilot - posterior);
    ASSERT_GT(share, 0.3);
    ASSERT_LT(share, 0.9);
    EXPECT_NEAR(share_for(plane, sigma, pilot, posterior), share - 0.25, 1e-5);
}

TEST(Blend, StaysBetweenTheTwo) {
    const Plane plane = noisy_plane(40, 40, 0.0, 2.0);  // only noise: 0 is best
    EXPECT_EQ(share_for(plane, 2.0, 1.0, 0.5), 0.0);
    EXPECT_NEAR(share_for(noisy_plane(40, 40, 1000.0, 2.0), 2.0, 1.0, 0.2), 0.75, 1e-4);  // hardly any noise
    EXPECT_EQ(share_for(plane, 2.0, 0.5, 0.5), 0.0);                                      // both the same
}

TEST(Blend, UsesTheMiddleOfALargePlane) {
    const Plane plane = noisy_plane(1030, 24, 3.0, 2.0);
    std::vector<std::size_t> heights;
    const double share = pilot_share(plane, multiples(plane, 1.0, 0.5), 2.0, 7, 1, [&](const Plane& part) {
        heights.push_back(part.rows());
        return multiples(part, 1.0, 0.5);
    });
    EXPECT_EQ(heights, (std::vector<std::size_t>{1024, 1024}));
    EXPECT_NEAR(share, share_for(plane, 2.0, 1.0, 0.5), 0.02);
}

}  // namespace
}  // namespace sbdl
