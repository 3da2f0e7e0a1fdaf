// Which atoms a learner with sparse codes discards, and which signals replace them.
#include <gtest/gtest.h>

#include "learners/stale_atoms.hpp"

namespace sbdl::test {
namespace {

using Atoms = std::vector<Eigen::Index>;

/// Codes in which atom n is used by counts[n] signals, each signal using one atom.
SparseCodes codes_with_users(const std::vector<int>& counts, double value = 1.0) {
    SparseCodes codes;
    codes.atoms = counts.size();
    for (std::size_t n = 0; n < counts.size(); ++n)
        for (int i = 0; i < counts[n]; ++i) {
            codes.atom.push_back(static_cast<std::uint32_t>(n));
            codes.value.push_back(i % 2 == 0 ? value : -value);
            codes.start.push_back(codes.atom.size());
        }
    return codes;
}

Atoms stale(const Mat& D, const SparseCodes& codes, const StaleRule& rule) {
    return stale_atoms(D, count_users(codes), rule);
}

TEST(StaleAtoms, AreThoseUsedByTooFew) {
    const Mat D = Mat::Identity(5, 5);
    const SparseCodes codes = codes_with_users({4, 3, 0, 9, 4});
    EXPECT_EQ(stale(D, codes, {0.99, 4}), (Atoms{1, 2}));
    EXPECT_EQ(stale(D, codes, {0.99, 1}), (Atoms{2}));
    EXPECT_TRUE(stale(D, codes, {0.99, 0}).empty());
    EXPECT_EQ(stale(D, codes_with_users({4, 4, 4, 4, 4}, 1e-9), {0.99, 4}).size(), 5U) << "codes of nothing";
}

TEST(StaleAtoms, AreThoseUsedFarLessThanTheMean) {
    const Mat D = Mat::Identity(5, 5);
    const SparseCodes codes = codes_with_users({10, 30, 9, 20, 31});  // 20 on average
    EXPECT_EQ(stale(D, codes, {0.99, 4, 0.5}), (Atoms{2}));
    EXPECT_EQ(stale(D, codes, {0.99, 15, 0.5}), (Atoms{0, 2})) << "the larger of the two counts";
    EXPECT_TRUE(stale(D, codes, {0.99, 4, 0.0}).empty());
}

// Eight rounds: the share and close atoms count only in the first five. Two rounds are left for settling, and nothing
// follows the last.
TEST(AtomRenewal, GivesAtomsPeaceInTheLastQuarter) {
    Matrix rows(4, 3);
    rows(0, 0) = rows(1, 1) = rows(2, 2) = rows(3, 0) = 2.0;
    const MemorySource source{rows};
    Mat D = Mat::Identity(3, 3);
    D.col(2) = (D.col(0) + 0.3 * D.col(2)).normalized();  // |correlation| 0.96 with the first
    const std::vector<int> users{20, 3, 9};
    const std::vector<double> left{0.1, 3.0, 2.0, 0.0};
    const SharedParts parts(4);
    AtomRenewal renewal({0.9, 2, 0.5}, 8);
    for (int round = 1; round <= 5; ++round) EXPECT_EQ(renewal.plan(D, users, left, parts), 2) << round;
    Mat renewed = D;
    EXPECT_EQ(renewal.carry_out({source, 2.0}, parts, renewed), (Atoms{1, 2}));
    EXPECT_EQ(renewed.col(1), Vec(Vec::Unit(3, 1)));
    EXPECT_EQ(renewed.col(2), Vec(Vec::Unit(3, 2)));
    EXPECT_TRUE(renewal.carry_out({source, 2.0}, parts, renewed).empty()) << "once only";
    for (int round = 6; round <= 7; ++round) EXPECT_EQ(renewal.plan(D, users, left, parts), 0) << round;
}

TEST(StaleAtoms, AreCopiesOfOneThatIsUsedMore) {
    Mat D = Mat::Identity(6, 6);
    D.col(1) = -D.col(0);
    D.col(4) = (D.col(0) + 0.1 * D.col(5)).normalized();  // |correlation| 0.995
    D.col(3) = (D.col(2) + 0.2 * D.col(5)).normalized();  // 0.98
    EXPECT_EQ(stale(D, codes_with_users({5, 6, 5, 5, 5, 5}), {0.99, 4}), (Atoms{0, 4}));
    EXPECT_EQ(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {0.99, 4}), (Atoms{1, 4})) << "the first stays";
    EXPECT_EQ(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {0.97, 4}), (Atoms{1, 3, 4}));
    EXPECT_TRUE(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {1.0, 4}).empty()) << "1 means never";
}

TEST(WorstSignals, AreInOrderAndNeverThoseWithoutResidual) {
    const std::vector<double> residual2{1.0, 5.0, 0.0, 5.0, 1e-30, 7.0};
    using Signals = std::vector<std::size_t>;
    EXPECT_EQ(worst_signals(residual2, 3, 0.0), (Signals{5, 1, 3}));
    EXPECT_EQ(worst_signals(residual2, 9, 0.0), (Signals{5, 1, 3, 0, 4}));
    EXPECT_EQ(worst_signals(residual2, 9, 1e-20), (Signals{5, 1, 3, 0}));
    EXPECT_TRUE(worst_signals(residual2, 0, 0.0).empty());
}

}  // namespace
}  // namespace sbdl::test
