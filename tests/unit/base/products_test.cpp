// Products and triangular systems by BLAS against those of Eigen, also of single columns and of parts of larger
// matrices.
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

/// A part of a larger matrix with the lower half of `A`; the rest is `other`.
Mat lower_half_inside(const Mat& A, double other) {
    Mat large = Mat::Constant(A.rows() + 3, A.rows() + 2, other);
    large.block(1, 2, A.rows(), A.rows()).triangularView<Eigen::Lower>() = A;
    return large;
}

Mat as_lower(const Mat& part) {
    return part.triangularView<Eigen::Lower>();
}

TEST(Triangular, FactorsAndSolvesAgreeWithEigen) {
    std::srand(2);
    for (const Eigen::Index size : {1, 2, 7})
        for (const Eigen::Index cols : {0, 1, 5}) {
            const Mat root = Mat::Random(size, size + 2);
            const Mat A = 10.0 * root * root.transpose() + Mat::Identity(size, size);
            Mat large = lower_half_inside(A, std::nan("")), seven = lower_half_inside(A, 7.0);
            auto part = large.block(1, 2, size, size);
            factor_lower(part);
            factor_lower(seven.block(1, 2, size, size));
            const Mat L = as_lower(part);
            EXPECT_EQ(seven, lower_half_inside(L, 7.0)) << "the rest is neither read nor written";
            EXPECT_LE((L * L.transpose() - A).norm(), 1e-12);
            EXPECT_GT(L.diagonal().minCoeff(), 0.0);

            const Mat right = Mat::Random(size + 4, cols);
            Mat forward = right, back = right;
            solve_lower(part, forward.middleRows(1, size));
            solve_lower_transposed(part, back.middleRows(1, size));
            EXPECT_LE((L * forward.middleRows(1, size) - right.middleRows(1, size)).norm(), 1e-12);
            EXPECT_LE((L.transpose() * back.middleRows(1, size) - right.middleRows(1, size)).norm(), 1e-12);
            for (Mat* solved : {&forward, &back}) solved->middleRows(1, size) = right.middleRows(1, size);
            EXPECT_EQ(forward, right) << "rows outside are not touched";
            EXPECT_EQ(back, right);
        }
    Mat nothing(0, 0);
    factor_lower(nothing);
}

// [4 2 2; 2 1.5 3; 2 3 20] has the pivots 4, 0.5, and 19 - 2^2 / 0.5; with 1 instead of 0.5 the last is 15.
TEST(Triangular, PivotsAreAtLeastOne) {
    Mat A{{4.0, 2.0, 2.0}, {2.0, 1.5, 3.0}, {2.0, 3.0, 20.0}};
    factor_lower(A);
    const Mat want{{2.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 2.0, std::sqrt(15.0)}};
    EXPECT_LE((as_lower(A) - want).norm(), 1e-15);
    Mat negative = Mat::Constant(1, 1, -3.0);
    factor_lower(negative);
    EXPECT_EQ(negative(0, 0), 1.0);
}

}  // namespace
}  // namespace sbdl
