// Planes in single precision: what is exact, how precise the rest is, and that neither units nor offsets matter.
#include "denoise/plane.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/random_problem.hpp"

namespace sbdl {
namespace {

TEST(Plane, KeepsWholeNumbersExactly) {
    for (const double white : {255.0, 65535.0}) {
        Matrix values(1, 4);
        values(0, 1) = 1.0;
        values(0, 2) = white - 1.0;
        values(0, 3) = white;
        const Plane plane(values);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(plane[i], values.data()[i]) << white;
    }
}

// To within 2^-25 of the range, in any unit and far from 0.
TEST(Plane, RoundsToASmallPartOfTheRange) {
    test::Numbers numbers(1);
    for (const double unit : {1e-59, 0.3, 1e59})
        for (const double offset : {0.0, -7.0, 1e6}) {
            Matrix values(3, 5);
            for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = unit * (offset + numbers.uniform());
            const Plane plane(values);
            EXPECT_EQ(plane.rows(), 3U);
            EXPECT_EQ(plane.cols(), 5U);
            const Matrix again = plane.matrix();
            std::array<double, 2> two{};
            plane.read(2, 3, 2, two.data());
            EXPECT_EQ(two[1], again(2, 4));
            for (std::size_t i = 0; i < values.size(); ++i) {
                EXPECT_NEAR(plane[i], values.data()[i], unit * (std::ldexp(1.0, -25) + 1e-15 * std::abs(offset)));
                EXPECT_EQ(plane[i], again.data()[i]);
            }
        }
}

TEST(Plane, HasTheRangeOfItsPixels) {
    Matrix values(2, 3, 7.0);
    values(0, 2) = -3.0;
    values(1, 0) = 12.0;
    EXPECT_EQ(Plane(values).range(), (std::pair{-3.0, 12.0}));
    const Plane flat(Matrix(2, 3, 0.1));
    EXPECT_EQ(flat.range(), (std::pair{0.1, 0.1})) << "a constant is exact";
}

}  // namespace
}  // namespace sbdl
