// SimCO's fast cost along the circles against codes and residuals computed directly at each point, on every instruction
// set of this machine.
#include "learners/simco/circle_costs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "learners/simco/simco_method.hpp"
#include "support/highway_target.hpp"
#include "support/random_problem.hpp"
#include "support/sparse_codes.hpp"

namespace sbdl::test {
namespace {

/// Codes of 0 to 4 atoms; their residuals are `noise` times a normal number.
CodedState mixed_state(Eigen::Index signals, double noise) {
    CodedState state({10, 14, signals}, 0, 11);
    Numbers numbers(12);
    SparseCodes& codes = state.pass.codes;
    codes.start.assign(1, 0);
    for (Eigen::Index l = 0; l < signals; ++l) {
        for (Eigen::Index k = 0; k < l % 5; ++k) {
            codes.atom.push_back(static_cast<std::uint32_t>((3 * k + 7 * l) % 14));
            codes.value.push_back(numbers.normal());
        }
        codes.start.push_back(codes.atom.size());
    }
    state.pass.residual = noise * numbers.normals(10, signals);
    state.Y = state.D * state.codes() + state.pass.residual;
    return state;
}

Circles random_circles(const Mat& D) {
    Numbers numbers(13);
    Mat downhill = numbers.normals(D.rows(), D.cols());
    downhill.col(2) = D.col(2);  // does not move except for rounding
    downhill.col(3).setZero();   // does not move
    return {D, downhill};
}

class CircleCostsOn : public testing::TestWithParam<std::int64_t> {
protected:
    HighwayTarget target_{GetParam()};
};

TEST_P(CircleCostsOn, AreThoseOfTheBestCodes) {
    CircleCosts costs(1);
    for (const Eigen::Index signals : {Eigen::Index{1}, Eigen::Index{47}, Eigen::Index{1300}}) {
        const CodedState state = mixed_state(signals, 0.7);
        const Circles circles = random_circles(state.D);
        costs.begin(circles, state.pass);
        for (const double mu : {0.0, 0.05})
            for (const double angle : {0.0, 1e-6, 0.1, 1.0, std::numbers::pi / 2.0}) {
                CodedState at = state;
                const double want = SphereSearch(state.Y, 1).solve_codes(circles.at(angle), mu, at.pass);
                SparseCodes codes = state.pass.codes;
                const auto found = costs.at(angle, mu, &codes);
                ASSERT_TRUE(found.has_value());
                EXPECT_NEAR(*found, want, 1e-11 * want) << signals << ", " << mu << ", " << angle;
                EXPECT_EQ(costs.at(angle, mu), found);
                for (std::size_t k = 0; k < codes.value.size(); ++k)
                    ASSERT_NEAR(codes.value[k], at.pass.codes.value[k], 1e-9);
            }
    }
}

// ||y||^2 - x^T D^T y would have no correct digit here.
TEST_P(CircleCostsOn, KeepTheDigitsOfSmallResiduals) {
    constexpr double noise = 1e-8;
    CodedState state = mixed_state(200, noise);
    const Circles circles = random_circles(state.D);
    const SphereSearch search(state.Y, 1);
    search.solve_codes(state.D, 0.0, state.pass);
    CircleCosts costs(1);
    costs.begin(circles, state.pass);
    for (const double angle : {0.0, 0.1 * noise, noise}) {
        CodedState at = state;
        const double want = search.solve_codes(circles.at(angle), 0.0, at.pass);
        ASSERT_LT(want, 1e-12);
        EXPECT_NEAR(*costs.at(angle, 0.0), want, 1e-6 * want) << angle;
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, CircleCostsOn, testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

TEST(CircleCosts, ThreadsChangeNothing) {
    const CodedState state = mixed_state(2000, 0.7);
    const Circles circles = random_circles(state.D);
    CircleCosts alone(1), together(3);
    alone.begin(circles, state.pass);
    together.begin(circles, state.pass);
    for (const double angle : {0.01, 0.5}) EXPECT_EQ(alone.at(angle, 0.1), together.at(angle, 0.1));
}

TEST(CircleCosts, LeaveDependentAtomsToOthers) {
    CodedState state({4, 4, 20}, 2, 14);
    state.D.setIdentity();
    state.D.col(1) = state.D.col(0);
    state.Y = Mat::Ones(4, 20);
    SphereSearch search(state.Y, 1);
    const double cost = search.solve_codes(state.D, 0.0, state.pass);
    CircleCosts costs(1);
    costs.begin({state.D, Mat::Zero(4, 4)}, state.pass);
    EXPECT_FALSE(costs.at(0.1, 0.0).has_value());
    EXPECT_TRUE(costs.at(0.1, 0.5).has_value());
    EXPECT_LE(search.step(0.0, cost, state.D, state.pass), cost);
    EXPECT_TRUE(state.D.allFinite());
}

}  // namespace
}  // namespace sbdl::test
