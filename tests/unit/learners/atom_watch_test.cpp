#include "learners/chains/atom_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learners/chains/determined_atoms.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

Mat unit_axes(Eigen::Index n) {
    return Mat::Identity(n, n);
}

/// The cosines of the first sweep show which atoms are watched: 1 for its own reference, else 0.
std::vector<Eigen::Index> watched(const std::vector<bool>& determined) {
    const auto N = static_cast<Eigen::Index>(determined.size());
    const AtomWatch start(unit_axes(N), determined);
    std::vector<Eigen::Index> found;
    for (Eigen::Index n = 0; n < N; ++n) {
        AtomWatch watch = start;
        Mat D = Mat::Zero(N, N);
        D.col(n) = unit_axes(N).col(n);
        watch.add(D);
        for (std::size_t k = 0; k < watch.atoms(); ++k)
            if (watch.cosines(k)[0] > 0.0) {
                found.push_back(n);
                EXPECT_EQ(watch.atom(k), static_cast<std::size_t>(n));
            }
    }
    return found;
}

TEST(AtomWatch, TakesAFewAtomsEvenlySpread) {
    using Atoms = std::vector<Eigen::Index>;
    EXPECT_EQ(watched(std::vector<bool>(3, true)), (Atoms{0, 1, 2}));
    EXPECT_EQ(watched(std::vector<bool>(16, true)), (Atoms{0, 2, 4, 6, 8, 10, 12, 14}));
    EXPECT_EQ(watched(std::vector<bool>(4, false)), (Atoms{0, 1, 2, 3})) << "before the first sweep there are no codes";
}

// An atom that is not determined says nothing about the chain.
TEST(AtomWatch, PassesOverAtomsThatAreNotDetermined) {
    EXPECT_EQ(watched({false, true, true, true, false, true}), (std::vector<Eigen::Index>{1, 2, 3, 5}));
}

// The squared error of an atom of 11 entries is 10 * 0.01 / (100 usage^2): 0.1 at 0.1.
TEST(DeterminedAtoms, OfOneSweepAreThoseThatStandOutFromTheNoise) {
    EXPECT_EQ(determined_atoms(11, Vec{{0.0, 0.099, 0.101, 1.0}}, 0.1, 100.0),
              (std::vector<bool>{false, false, true, true}));
    EXPECT_EQ(determined_atoms(11, Vec::Zero(2), 0.0, 100.0), (std::vector<bool>{false, false}));
}

// The same codes in other units, and draws: their squared errors are 0.09 and 0.11.
TEST(DeterminedAtoms, OfAChainAreThoseOfItsModel) {
    const Mat D = unit_axes(11).leftCols(4);
    PosteriorAverage average(D);
    const Vec energy = Vec{{0.0, 0.98, 1.02, 100.0}};  // signals times the square of the usage
    for (int i = 0; i < 100; ++i) average.add(D, energy, 100.0, 0.7);
    EXPECT_EQ(determined_atoms(average, {.signals = 100.0, .unit = 7.0}),
              (std::vector<bool>{false, false, true, true}));
    PosteriorAverage turning(D);
    for (int i = 0; i < 1000; ++i) {
        Mat drawn = D;
        const double side = i % 2 == 0 ? 1.0 : -1.0;
        drawn(10, 2) = side * std::tan(std::asin(std::sqrt(0.09)));
        drawn(10, 3) = side * std::tan(std::asin(std::sqrt(0.11)));
        turning.add(drawn, Vec::Constant(4, 100.0), 100.0, 0.1);
    }
    EXPECT_EQ(determined_atoms(turning, {.signals = 100.0, .unit = 1.0}), (std::vector<bool>{true, true, true, false}));
}

// None of them has a direction. The third is used as much as the most used one, the second less than half as much, the
// first hardly stands out from the noise.
TEST(DeterminedAtoms, OfThoseWithoutADirectionTheMuchUsedOnesTell) {
    PosteriorAverage average(unit_axes(4));
    for (int i = 0; i < 10; ++i) {
        Mat drawn = unit_axes(4);
        for (Eigen::Index n = 0; n < 3; ++n) drawn(3, n) = i % 2 == 0 ? 1.0 : -1.0;
        average.add(drawn, Vec{{0.01, 0.1, 0.6, 2.0}}, 1.0, 0.05);
    }
    const ChainScale scale{.signals = 1.0, .unit = 1.0};
    EXPECT_EQ(determined_atoms(average, scale), (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(telling_atoms(average, scale), (std::vector<bool>{false, false, true, true}));
}

TEST(AtomWatch, RecordsCosinesWhateverSignAndNorm) {
    Mat D = unit_axes(2);
    AtomWatch watch(D, {true, true});
    D.col(0) = Vec{{-3.0, 4.0}};
    D.col(1).setZero();
    watch.add(D);
    D.col(0) = Vec{{0.0, 2.0}};
    D.col(1) = Vec{{0.0, -5.0}};
    watch.add(D);
    ASSERT_EQ(watch.atoms(), 2U);
    EXPECT_NEAR(watch.cosines(0)[0], 0.6, 1e-15);
    EXPECT_EQ(watch.cosines(0)[1], 0.0);
    EXPECT_EQ(watch.cosines(1)[0], 0.0) << "an atom without a direction";
    EXPECT_EQ(watch.cosines(1)[1], 1.0);
}

// Another chain has the atoms in another order: the same atoms are compared with the same references.
TEST(AtomWatch, FollowsTheSameAtomsInAnotherChain) {
    Numbers numbers(93);
    const Mat D = numbers.normals(7, 12);
    const AtomWatch first(D, std::vector<bool>(12, true));
    Mat other(7, 12);
    for (Eigen::Index n = 0; n < 12; ++n) other.col((5 * n + 3) % 12) = (n % 2 == 0 ? -2.0 : 1.0) * D.col(n);
    const Mat moved = D + 0.3 * numbers.normals(7, 12);
    Mat other_moved(7, 12);
    for (Eigen::Index n = 0; n < 12; ++n) other_moved.col((5 * n + 3) % 12) = moved.col(n);
    AtomWatch here = first, there(other, first);
    here.add(moved);
    there.add(other_moved);
    ASSERT_EQ(there.atoms(), AtomWatch::most_watched);
    for (std::size_t k = 0; k < here.atoms(); ++k) EXPECT_NEAR(there.cosines(k)[0], here.cosines(k)[0], 1e-14);
}

}  // namespace
}  // namespace sbdl::test
