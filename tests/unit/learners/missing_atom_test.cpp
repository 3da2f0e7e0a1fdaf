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

TEST(MissingAtom, ReplacesTheAtomThatANeighbourCanReplace) {
    Mat D = atoms_with_a_twin();
    const Vec energy = (Vec(4) << 100.0, 60.0, 70.0, 90.0).finished();
    // On its own, the twin explains 0.19 of its 90.
    const auto replaced = replace_least_needed_atom(left_over(18.0), energy, D);
    ASSERT_TRUE(replaced);
    EXPECT_EQ(*replaced, 3);
    EXPECT_NEAR(std::abs(D(4, 3)), 1.0, 1e-12);
    EXPECT_EQ(D.leftCols(3), atoms_with_a_twin().leftCols(3));
}

TEST(MissingAtom, LeavesAtomsThatExplainMoreThanIsLeft) {
    Mat D = atoms_with_a_twin();
    const Vec energy = (Vec(4) << 100.0, 60.0, 70.0, 90.0).finished();
    EXPECT_FALSE(replace_least_needed_atom(left_over(17.0), energy, D));
    EXPECT_EQ(D, atoms_with_a_twin());
}

TEST(MissingAtom, LeavesNoiseAlone) {
    Mat D = atoms_with_a_twin();
    EXPECT_FALSE(replace_least_needed_atom(left_over(1.4), Vec::Zero(4), D));
    EXPECT_TRUE(replace_least_needed_atom(left_over(1.6), Vec::Zero(4), D));
}

TEST(MissingAtom, NeedsASecondAtomAndFiniteNumbers) {
    Mat one = Mat::Identity(5, 1);
    EXPECT_FALSE(replace_least_needed_atom(left_over(9.0), Vec::Zero(1), one));
    Mat D = atoms_with_a_twin();
    EXPECT_FALSE(replace_least_needed_atom(left_over(std::nan("")), Vec::Zero(4), D));
    EXPECT_EQ(D, atoms_with_a_twin());
}

}  // namespace
}  // namespace sbdl::test
