// The errors of missing samples, by hand.
#include "inpaint/gap_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sbdl::test {
namespace {

Image row_of(const std::vector<double>& values) {
    Image image;
    Matrix& plane = image.planes.emplace_back(1, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) plane.data()[i] = values[i];
    return image;
}

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

TEST(GapErrors, AreThoseOfMissingSamplesAlone) {
    const Image truth = row_of({10, 20, 30, 40, 50}), incomplete = row_of({10, unseen, unseen, unseen, 50});
    const Image filled = row_of({99, 21, 28, 44, 50}), std = row_of({0, 1, 1.5, 1, 0});
    const GapErrors errors = gap_errors(truth, incomplete, filled, std);
    EXPECT_DOUBLE_EQ(errors.mean_square, (1.0 + 4.0 + 16.0) / 3.0);
    EXPECT_DOUBLE_EQ(errors.within_1, 1.0 / 3.0);
    EXPECT_DOUBLE_EQ(errors.within_2, 2.0 / 3.0);
}

TEST(GapErrors, AreNanWhereTheyAreNotKnown) {
    const Image truth = row_of({10, 20}), incomplete = row_of({10, unseen});
    const GapErrors without_std = gap_errors(truth, incomplete, truth, Image{});
    EXPECT_EQ(without_std.mean_square, 0.0);
    EXPECT_TRUE(std::isnan(without_std.within_1));
    EXPECT_TRUE(std::isnan(without_std.within_2));
    const GapErrors complete = gap_errors(truth, truth, truth, truth);
    EXPECT_TRUE(std::isnan(complete.mean_square));
    EXPECT_TRUE(std::isnan(complete.within_1));
}

}  // namespace
}  // namespace sbdl::test
