// The lasso against its optimality conditions and, with orthonormal atoms, its closed form.
#include "coders/lasso.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Vec dense(const std::vector<Lasso::Entry>& entries, Eigen::Index atoms) {
    Vec x = Vec::Zero(atoms);
    for (const Lasso::Entry& entry : entries) x[entry.atom] = entry.value;
    return x;
}

TEST(Lasso, MeetsTheOptimalityConditions) {
    test::Numbers numbers(1);
    for (int trial = 0; trial < 50; ++trial) {
        const Mat D = numbers.normals(10, 25);
        const Vec y = 3.0 * numbers.normals(10, 1);
        const Mat gram = D.transpose() * D;
        const double lambda = 2.0 + trial * 0.2;
        Lasso lasso(gram, lambda);
        for (int repeat = 0; repeat < 2; ++repeat) {  // its scratch must not carry over
            Vec correlations = D.transpose() * y;
            std::vector<Lasso::Entry> entries;
            lasso.code(correlations, entries);
            const Vec x = dense(entries, 25);
            const Vec slope = D.transpose() * (y - D * x);
            EXPECT_LT((slope - correlations).norm(), 1e-9 * (1.0 + slope.norm()));
            for (Eigen::Index n = 0; n < 25; ++n) {
                if (x[n] == 0.0)
                    EXPECT_LE(std::abs(slope[n]), 1.01 * lambda);
                else
                    EXPECT_NEAR(slope[n], std::copysign(lambda, x[n]), 0.03 * lambda);
            }
        }
    }
}

TEST(Lasso, IsSoftThresholdingForOrthonormalAtoms) {
    const Mat gram = Mat::Identity(4, 4);
    Vec correlations(4);
    correlations << 3.0, -1.5, 0.9, -0.2;
    std::vector<Lasso::Entry> entries;
    Lasso(gram, 1.0).code(correlations, entries);
    const Vec x = dense(entries, 4);
    EXPECT_DOUBLE_EQ(x[0], 2.0);
    EXPECT_DOUBLE_EQ(x[1], -0.5);
    EXPECT_EQ(entries.size(), 2U);
}

TEST(Lasso, LeavesASignalBelowTheWeightEmpty) {
    const Mat gram = Mat::Identity(3, 3);
    Vec correlations = Vec::Constant(3, 0.5);
    std::vector<Lasso::Entry> entries;
    Lasso(gram, 1.0).code(correlations, entries);
    EXPECT_TRUE(entries.empty());
}

}  // namespace
}  // namespace sbdl
