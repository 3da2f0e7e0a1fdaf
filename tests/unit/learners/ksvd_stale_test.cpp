// Which atoms K-SVD gives up, and which signals take their place.
#include <gtest/gtest.h>

#include "learners/ksvd/stale_atoms.hpp"

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
    return stale_atoms(D, codes, AtomUsers(codes), rule);
}

TEST(KsvdStaleAtoms, AreThoseUsedByTooFew) {
    const Mat D = Mat::Identity(5, 5);
    const SparseCodes codes = codes_with_users({4, 3, 0, 9, 4});
    EXPECT_EQ(stale(D, codes, {0.99, 4}), (Atoms{1, 2}));
    EXPECT_EQ(stale(D, codes, {0.99, 1}), (Atoms{2}));
    EXPECT_TRUE(stale(D, codes, {0.99, 0}).empty());
    EXPECT_EQ(stale(D, codes_with_users({4, 4, 4, 4, 4}, 1e-9), {0.99, 4}).size(), 5U) << "codes of nothing";
}

TEST(KsvdStaleAtoms, AreCopiesOfOneThatIsUsedMore) {
    Mat D = Mat::Identity(6, 6);
    D.col(1) = -D.col(0);
    D.col(4) = (D.col(0) + 0.1 * D.col(5)).normalized();  // |correlation| 0.995
    D.col(3) = (D.col(2) + 0.2 * D.col(5)).normalized();  // 0.98
    EXPECT_EQ(stale(D, codes_with_users({5, 6, 5, 5, 5, 5}), {0.99, 4}), (Atoms{0, 4}));
    EXPECT_EQ(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {0.99, 4}), (Atoms{1, 4})) << "the first stays";
    EXPECT_EQ(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {0.97, 4}), (Atoms{1, 3, 4}));
    EXPECT_TRUE(stale(D, codes_with_users({5, 5, 5, 5, 5, 5}), {1.0, 4}).empty()) << "1 means never";
}

TEST(KsvdWorstSignals, AreInOrderAndNeverThoseWithoutResidual) {
    const std::vector<double> residual2{1.0, 5.0, 0.0, 5.0, 1e-30, 7.0};
    using Signals = std::vector<std::size_t>;
    EXPECT_EQ(worst_signals(residual2, 3, 0.0), (Signals{5, 1, 3}));
    EXPECT_EQ(worst_signals(residual2, 9, 0.0), (Signals{5, 1, 3, 0, 4}));
    EXPECT_EQ(worst_signals(residual2, 9, 1e-20), (Signals{5, 1, 3, 0}));
    EXPECT_TRUE(worst_signals(residual2, 0, 0.0).empty());
}

}  // namespace
}  // namespace sbdl::test
