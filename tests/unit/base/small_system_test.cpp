// Small systems against Eigen.
#include "base/small_system.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/linalg.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

Mat positive_definite(Numbers& numbers, Eigen::Index order) {
    const Mat root = numbers.normals(order, order + 2);
    return root * root.transpose();
}

void fill_row(const Mat& Q, std::size_t row, SmallSystem& system) {
    for (std::size_t k = 0; k <= row; ++k)
        system.at(row, k) = Q(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k));
}

void expect_solves(const Mat& Q, Numbers& numbers, const SmallSystem& system) {
    std::vector<double> scratch(3, 7.0);  // of another order, with old values
    const Vec x = numbers.normals(Q.rows(), 1);
    Vec solved = Q * x;
    system.solve(solved.data());
    EXPECT_LT((solved - x).norm(), 1e-8 * x.norm());
    EXPECT_NEAR(system.inverse_trace(scratch), inverse(Q).trace(), 1e-8 * inverse(Q).trace());
}

TEST(SmallSystem, SolvesAndComputesTheTraceOfItsInverse) {
    Numbers numbers(1);
    SmallSystem system;  // reused for other orders
    for (const Eigen::Index order : {1, 2, 7, 3, 20}) {
        const Mat Q = positive_definite(numbers, order);
        system.resize(static_cast<std::size_t>(order));
        for (std::size_t i = 0; i < system.order(); ++i) fill_row(Q, i, system);
        system.factor();
        expect_solves(Q, numbers, system);
    }
}

TEST(SmallSystem, GrowsRowByRow) {
    Numbers numbers(2);
    const Mat Q = positive_definite(numbers, 12);
    SmallSystem system;
    for (Eigen::Index order = 1; order <= 12; ++order) {
        system.resize(static_cast<std::size_t>(order));
        fill_row(Q, system.order() - 1, system);
        system.factor_row(system.order() - 1);
        expect_solves(Q.topLeftCorner(order, order), numbers, system);
    }
}

TEST(SmallSystem, MayHaveNoUnknowns) {
    SmallSystem system;
    system.resize(0);
    system.factor();
    system.solve(nullptr);
    std::vector<double> scratch;
    EXPECT_EQ(system.inverse_trace(scratch), 0.0);
}

TEST(SmallSystem, PivotsHaveALowerLimit) {
    SmallSystem system;
    system.resize(2);
    system.at(0, 0) = system.at(1, 0) = system.at(1, 1) = 1.0;  // singular
    system.factor_row(0, 1e-4);
    system.factor_row(1, 1e-4);
    EXPECT_DOUBLE_EQ(system.at(1, 1), 1e-2);
}

}  // namespace
}  // namespace sbdl::test
