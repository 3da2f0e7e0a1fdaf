#include "base/ranked_codes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {
namespace {

/// Codes of two signals that can be told apart.
Codes codes_of(std::size_t round) {
    Codes codes;
    codes.first = 2 * round;
    codes.sparse.atoms = 4;
    codes.sparse.start = {0, 1, 3};
    codes.sparse.atom = {1, 0, 3};
    codes.sparse.value = {0.5, static_cast<double>(round), -1.0};
    codes.sparse.residual_norm = {0.1, 0.2};
    codes.dense = Matrix(2, 3);
    codes.dense(1, 2) = static_cast<double>(round);
    codes.std = Matrix(2, 3);
    codes.unsettled = round;
    return codes;
}

void expect_same(const Codes& got, const Codes& want) {
    EXPECT_EQ(got.first, want.first);
    EXPECT_EQ(got.sparse.atoms, want.sparse.atoms);
    EXPECT_EQ(got.sparse.start, want.sparse.start);
    EXPECT_EQ(got.sparse.atom, want.sparse.atom);
    EXPECT_EQ(got.sparse.value, want.sparse.value);
    EXPECT_EQ(got.sparse.residual_norm, want.sparse.residual_norm);
    ASSERT_EQ(got.dense.rows(), want.dense.rows());
    EXPECT_EQ(got.dense(1, 2), want.dense(1, 2));
    EXPECT_EQ(got.std.cols(), want.std.cols());
    EXPECT_TRUE(got.probability.empty());
    EXPECT_EQ(got.unsettled, want.unsettled);
}

TEST(RankedCodes, ArePackedWhole) {
    expect_same(unpacked_codes(packed_codes(codes_of(7))), codes_of(7));
}

TEST(RankedCodes, ComeInOrder) {
    for (const int ranks : {1, 2, 3, 8})
        for (const std::exception_ptr& error : on_ranks(ranks, [](Ranks& rank) {
                 RankGroup group(&rank);
                 std::size_t taken = 0;
                 Codes mine;
                 encode_in_turns(
                     group, 7,
                     [&](std::size_t round) {
                         EXPECT_EQ(round % static_cast<std::size_t>(group.count()),
                                   static_cast<std::size_t>(group.mine()));
                         mine = codes_of(round);
                         return std::span(&mine, 1);
                     },
                     [&](const Codes& codes) { expect_same(codes, codes_of(taken++)); });
                 EXPECT_EQ(taken, group.first() ? 7U : 0U);
             }))
            EXPECT_EQ(text_of(error), "");
}

// For example when the disk of rank 0 is full.
TEST(RankedCodes, ASinkThatFailsEndsAllRanks) {
    for (const std::exception_ptr& error : on_ranks(3, [](Ranks& rank) {
             Codes mine;
             on_all_ranks(&rank, [&] {
                 encode_in_turns(
                     RankGroup(&rank), 12,
                     [&](std::size_t round) {
                         mine = codes_of(round);
                         return std::span(&mine, 1);
                     },
                     [&](const Codes& codes) {
                         if (codes.first == 8) throw FileError("the disk is full");
                     });
             });
         }))
        EXPECT_EQ(text_of(error), "the disk is full");
}

}  // namespace
}  // namespace sbdl::test
