// The lasso against its optimality conditions and, with orthonormal atoms, its closed form.
#include "coders/lasso.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lasso_code.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

void expect_minimum(const Mat& D, const Vec& y, double lambda, const LassoCode& code) {
    const Vec slope = D.transpose() * (y - D * code.x);
    EXPECT_LT((slope - code.slope).norm(), 1e-9 * (1.0 + (D.transpose() * y).norm()));
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        if (code.x[n] == 0.0)
            EXPECT_LE(std::abs(slope[n]), 1.001 * lambda * (1.0 + 1e-9));
        else
            EXPECT_NEAR(slope[n], std::copysign(lambda, code.x[n]), 1e-6 * lambda);
    }
}

TEST(Lasso, MeetsTheOptimalityConditions) {
    Numbers numbers(1);
    Lasso lasso;  // its scratch memory must not affect the next signal
    for (int trial = 0; trial < 50; ++trial) {
        const Mat D = numbers.normals(10, 25 + trial);
        const Vec y = 3.0 * numbers.normals(10, 1);
        const PaddedGram gram(D);
        for (const double share : {0.9, 0.3, 0.01}) {
            const double lambda = share * (D.transpose() * y).lpNorm<Eigen::Infinity>();
            expect_minimum(D, y, lambda, lasso_code(gram, D.transpose() * y, lambda, lasso));
        }
    }
}

// Values that reach zero on the way: atoms so similar that the first ones added are rarely those at the end.
TEST(Lasso, SimilarAtomsAreRemovedAgain) {
    Numbers numbers(2);
    for (int trial = 0; trial < 50; ++trial) {
        const Vec shared = numbers.normals(12, 1);
        const Mat D = (shared.replicate(1, 40) + 0.3 * numbers.normals(12, 40)).colwise().normalized();
        const Vec y = 2.0 * shared + 0.5 * numbers.normals(12, 1);
        expect_minimum(D, y, 0.02, lasso_code(D, y, 0.02));
    }
}

TEST(Lasso, HandlesCopiesAndDependentAtoms) {
    Numbers numbers(3);
    Mat D = numbers.normals(6, 20);
    D.col(3) = D.col(2);
    D.col(5) = -D.col(2);
    D.col(7) = D.col(0) + D.col(1);
    for (int trial = 0; trial < 20; ++trial) {
        const Vec y = D.col(2) + D.col(7) + numbers.normals(6, 1);
        expect_minimum(D, y, 0.1, lasso_code(D, y, 0.1));
    }
}

TEST(Lasso, IsSoftThresholdingForOrthonormalAtoms) {
    Vec y(4);
    y << 3.0, -1.5, 0.9, -0.2;
    const LassoCode code = lasso_code(Mat::Identity(4, 4), y, 1.0);
    EXPECT_DOUBLE_EQ(code.x[0], 2.0);
    EXPECT_DOUBLE_EQ(code.x[1], -0.5);
    EXPECT_EQ(code.x[2], 0.0);
    EXPECT_EQ(code.x[3], 0.0);
}

TEST(Lasso, ASignalBelowTheWeightHasAnEmptyCode) {
    const LassoCode code = lasso_code(Mat::Identity(3, 3), Vec::Constant(3, 0.5), 1.0);
    EXPECT_EQ(code.x, Vec::Zero(3));
}

}  // namespace
}  // namespace sbdl::test
