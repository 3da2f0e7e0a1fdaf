// Products by BLAS against those of Eigen, also of single columns and of parts of larger matrices.
#include "base/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace sbdl {
namespace {

TEST(Products, AgreeWithEigen) {
    std::srand(1);  // the seed of Eigen's random numbers
    for (const Eigen::Index cols : {0, 1, 7})
        for (const double keep : {0.0, 0.5}) {
            const Mat large = Mat::Random(9, 12), right = Mat::Random(9, 7);
            const auto A = large.block(1, 2, 6, 5);
            Mat C = Mat::Random(5, cols);
            const Mat want = 3.0 * A.transpose() * right.block(2, 0, 6, cols) + keep * C;
            multiply_transposed(A, right.block(2, 0, 6, cols), C, 3.0, keep);
            EXPECT_LE((C - want).norm(), 1e-13);

            Mat B = Mat::Random(6, cols);
            const Mat product = 3.0 * A * right.block(2, 0, 5, cols) + keep * B;
            multiply(A, right.block(2, 0, 5, cols), B, 3.0, keep);
            EXPECT_LE((B - product).norm(), 1e-13);
        }
    Mat forgotten = Mat::Constant(5, 1, std::nan(""));
    multiply_transposed(Mat::Ones(2, 5), Mat::Ones(2, 1), forgotten);
    EXPECT_EQ(forgotten, Mat::Constant(5, 1, 2.0)) << "the old values are not kept";
    Mat nothing = Mat::Ones(5, 1);
    multiply_transposed(Mat(0, 5), Mat(0, 1), nothing);
    EXPECT_EQ(nothing, Mat::Zero(5, 1)) << "empty sums";
}

}  // namespace
}  // namespace sbdl
