#include "base/rank_group.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {
namespace {

TEST(RankGroup, OfOneProcessDoesNothing) {
    RankGroup group;
    EXPECT_TRUE(group.alone());
    EXPECT_TRUE(group.first());
    EXPECT_EQ(group.of_first(3), 3);
    EXPECT_EQ(group.joined(std::vector{1, 2}), (std::vector{1, 2}));
    EXPECT_EQ(group.my_part(7).size, 7U);
    group.require_same(1, "other things");
    group.fail(std::make_exception_ptr(InputError("mine")));
    std::vector<double> sum(3, 0.5);
    group.add_in_turn(sum, 2, [&](const IndexRange& piece) {
        for (std::size_t i = piece.first; i < piece.end(); ++i) sum[i] += static_cast<double>(i);
    });
    EXPECT_EQ(sum, (std::vector{0.5, 1.5, 2.5}));
}

TEST(RankGroup, ExchangesValues) {
    for (const std::exception_ptr& error : on_ranks(4, [](Ranks& ranks) {
             RankGroup group(&ranks);
             const int mine = group.mine();
             EXPECT_EQ(group.of_first(mine + 7), 7);
             EXPECT_EQ(group.of_first(std::string(static_cast<std::size_t>(mine + 2), 'a' + static_cast<char>(mine))),
                       "aa");
             EXPECT_EQ(group.joined(std::vector<int>(static_cast<std::size_t>(mine), mine)),
                       (std::vector{1, 2, 2, 3, 3, 3}));
             std::vector<double> values(2, mine);
             group.share(2, std::span(values));
             EXPECT_EQ(values, (std::vector{2.0, 2.0}));
         }))
        EXPECT_EQ(text_of(error), "");
}

// Sums of floating-point numbers depend on their order.
TEST(RankGroup, AddsInOrder) {
    const std::vector<double> terms{1e16, 1.0, -1e16, 3.0, 1e-3, -7.0};
    const double want = std::accumulate(terms.begin(), terms.end(), 0.0);
    for (const int count : {2, 3, 4, 6, 8})
        for (const std::exception_ptr& error : on_ranks(count, [&](Ranks& ranks) {
                 RankGroup group(&ranks);
                 const IndexRange mine = group.my_part(terms.size());
                 std::vector<double> sum(5, 0.0);
                 group.add_in_turn(sum, 2, [&](const IndexRange& piece) {
                     for (std::size_t i = piece.first; i < piece.end(); ++i)
                         for (std::size_t term = mine.first; term < mine.end(); ++term) sum[i] += terms[term];
                 });
                 EXPECT_EQ(sum, std::vector(5, want));
             }))
            EXPECT_EQ(text_of(error), "");
}

TEST(RankGroup, WritesInOrder) {
    on_ranks(3, [](Ranks& ranks) {
        RankGroup group(&ranks);
        std::string written;
        const auto put = [&](std::string text) {
            if (group.first())
                written += text;
            else
                group.put(std::as_bytes(std::span(text)));
        };
        group.write_in_turn(
            [&] {
                put("a" + std::to_string(group.mine()));
                put("b" + std::to_string(group.mine()));
            },
            [&](std::span<const std::byte> bytes) {
                written.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            });
        EXPECT_EQ(written, group.first() ? "a0b0a1b1a2b2" : "");
    });
}

// The others do not wait for a rank that has failed, whatever they are doing.
TEST(RankGroup, AnErrorOfOneReachesAll) {
    const auto fails_with = [](const std::exception_ptr& thrown) {
        return on_ranks(4, [&](Ranks& ranks) {
            RankGroup group(&ranks);
            try {
                if (group.mine() == 2) std::rethrow_exception(thrown);
                group.joined(std::vector{1});
            } catch (...) {
                group.fail(std::current_exception());
                throw;
            }
        });
    };
    for (const std::exception_ptr& error : fails_with(std::make_exception_ptr(InputError("row 3 is bad")))) {
        EXPECT_THROW(std::rethrow_exception(error), InputError);
        EXPECT_EQ(text_of(error), "row 3 is bad");
    }
    const auto files = fails_with(std::make_exception_ptr(FileError("no such file")));
    for (const std::exception_ptr& error : files) EXPECT_THROW(std::rethrow_exception(error), FileError);
    EXPECT_EQ(text_of(files[0]), "no such file (on rank 2)");
    EXPECT_EQ(text_of(files[2]), "no such file");
    for (const std::exception_ptr& error : fails_with(std::make_exception_ptr(NumericError("overflow"))))
        EXPECT_THROW(std::rethrow_exception(error), NumericError);
    for (const std::exception_ptr& error : fails_with(std::make_exception_ptr(Stopped())))
        EXPECT_THROW(std::rethrow_exception(error), Stopped);
    const auto memory = fails_with(std::make_exception_ptr(std::bad_alloc()));
    for (const std::exception_ptr& error : memory) EXPECT_THROW(std::rethrow_exception(error), std::bad_alloc);
    EXPECT_EQ(text_of(memory[0]), "out of memory (on rank 2)");
    const auto others = fails_with(std::make_exception_ptr(std::out_of_range("bug")));
    EXPECT_EQ(text_of(others[0]), "rank 2: bug");
    EXPECT_EQ(text_of(others[2]), "bug");
}

TEST(RankGroup, TheFirstOfSeveralErrorsCounts) {
    const auto errors = on_ranks(4, [](Ranks& ranks) {
        RankGroup group(&ranks);
        try {
            if (group.mine() % 2 == 1) throw InputError("rank " + std::to_string(group.mine()));
            group.of_first(1);
        } catch (...) {
            group.fail(std::current_exception());
            throw;
        }
    });
    EXPECT_EQ(text_of(errors[0]), "rank 1");
    EXPECT_EQ(text_of(errors[2]), "rank 1");
}

TEST(RankGroup, SaysWhichRankDiffers) {
    for (const std::exception_ptr& error : on_ranks(3, [](Ranks& ranks) {
             RankGroup group(&ranks);
             group.require_same(5, "other things");
             group.require_same(group.mine() == 2 ? 6 : 5, "other things");
         }))
        EXPECT_EQ(text_of(error), "rank 2 has other things than rank 0");
}

}  // namespace
}  // namespace sbdl::test
