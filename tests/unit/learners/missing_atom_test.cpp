#include "learners/gibbs/missing_atom.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sbdl::test {
namespace {

/// Unit vectors along the axes, and a fourth atom close to the first.
Mat atoms_with_a_twin() {
    Mat D = Mat::Zero(5, 4);
    D(0, 0) = D(1, 1) = D(2, 2) = 1.0;
    D.col(3) << 0.9, std::sqrt(1.0 - 0.81), 0.0, 0.0, 0.0;
    return D;
}

/// `along` in the direction of the last axis, and 1 in every other.
Mat left_over(double along) {
    Mat left = Mat::Identity(5, 5);
    left(4, 4) = along;
    return left;
}

TEST(MissingAtom, TakesThePlaceOfTheAtomThatANeighbourCanReplace) {
    const Mat D = atoms_with_a_twin();
    const Vec energy = (Vec(4) << 100.0, 60.0, 70.0, 90.0).finished();
    // On its own, the twin explains 0.19 of its 90.
    const auto missing = find_missing_atom(left_over(18.0), energy, D);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->least_needed, 3);
    ASSERT_EQ(missing->directions.cols(), 5);
    EXPECT_NEAR(std::abs(missing->directions(4, 0)), 1.0, 1e-12);
    EXPECT_NEAR((missing->directions.transpose() * missing->directions - Mat::Identity(5, 5)).norm(), 0.0, 1e-12);
}

TEST(MissingAtom, LeavesAtomsThatExplainMoreThanIsLeft) {
    const Mat D = atoms_with_a_twin();
    const Vec energy = (Vec(4) << 100.0, 60.0, 70.0, 90.0).finished();
    EXPECT_FALSE(find_missing_atom(left_over(17.0), energy, D));
}

TEST(MissingAtom, LeavesNoiseAlone) {
    const Mat D = atoms_with_a_twin();
    EXPECT_FALSE(find_missing_atom(left_over(1.4), Vec::Zero(4), D));
    EXPECT_TRUE(find_missing_atom(left_over(1.6), Vec::Zero(4), D));
}

TEST(MissingAtom, NeedsASecondAtomAndFiniteNumbers) {
    const Mat one = Mat::Identity(5, 1);
    EXPECT_FALSE(find_missing_atom(left_over(9.0), Vec::Zero(1), one));
    const Mat D = atoms_with_a_twin();
    EXPECT_FALSE(find_missing_atom(left_over(std::nan("")), Vec::Zero(4), D));
}

}  // namespace
}  // namespace sbdl::test
