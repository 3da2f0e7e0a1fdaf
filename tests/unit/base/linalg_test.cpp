#include "base/linalg.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sbdl {
namespace {

TEST(UnitColumns, HaveUnitNormHoweverSmallTheyWere) {
    Mat D(3, 5);
    D.colwise() = Vec{{0.6, -0.0, 2.1}};
    D *= Vec{{1.0, 1e150, 1e-310, 1e-320, 0.0}}.asDiagonal();
    const Mat unit = unit_columns(D);
    for (Eigen::Index n = 0; n < 4; ++n) EXPECT_NEAR(unit.col(n).norm(), 1.0, 1e-15) << "column " << n;
    EXPECT_TRUE(unit.col(4).isZero(0.0));
    EXPECT_NEAR(unit(0, 2), 2.0 / std::sqrt(53.0), 1e-10);
}

}  // namespace
}  // namespace sbdl
