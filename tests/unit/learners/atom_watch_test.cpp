#include "learners/chains/atom_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

Mat unit_axes(Eigen::Index n) {
    return Mat::Identity(n, n);
}

/// The cosines of the first sweep show which atoms are watched: 1 for its own reference, else 0.
std::vector<Eigen::Index> watched(const Vec& usage) {
    const Eigen::Index N = usage.size();
    const AtomWatch start(unit_axes(N), usage);
    std::vector<Eigen::Index> found;
    for (Eigen::Index n = 0; n < N; ++n) {
        AtomWatch watch = start;
        Mat D = Mat::Zero(N, N);
        D.col(n) = unit_axes(N).col(n);
        watch.add(D);
        for (std::size_t k = 0; k < watch.atoms(); ++k)
            if (watch.cosines(k)[0] > 0.0) found.push_back(n);
    }
    return found;
}

TEST(AtomWatch, TakesAFewAtomsEvenlySpread) {
    using Atoms = std::vector<Eigen::Index>;
    EXPECT_EQ(watched(Vec::Ones(3)), (Atoms{0, 1, 2}));
    EXPECT_EQ(watched(Vec::Ones(16)), (Atoms{0, 2, 4, 6, 8, 10, 12, 14}));
    EXPECT_EQ(watched(Vec::Zero(4)), (Atoms{0, 1, 2, 3})) << "before the first sweep there are no codes";
}

// An unused atom is a draw from the prior; it says nothing about the chain.
TEST(AtomWatch, PassesOverAtomsThatAreNotUsed) {
    Vec usage = Vec::Ones(6);
    usage[0] = usage[4] = 0.009;
    usage[5] = 0.011;
    EXPECT_EQ(watched(usage), (std::vector<Eigen::Index>{1, 2, 3, 5}));
}

TEST(AtomWatch, RecordsCosinesWhateverSignAndNorm) {
    Mat D = unit_axes(2);
    AtomWatch watch(D, Vec::Ones(2));
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
    const AtomWatch first(D, Vec::Ones(12));
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
