// Signals without any observed entry, left out or as zeros.
#include "signals/empty_signals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Rows of 2: (l, l), of which the first entry may be missing; both are in the rows of `empty`.
Matrix rows_with(std::size_t count, const std::vector<std::size_t>& empty) {
    Matrix rows(count, 2);
    for (std::size_t l = 0; l < count; ++l) rows(l, 0) = rows(l, 1) = static_cast<double>(l);
    rows(1, 0) = missing;
    for (const std::size_t l : empty) rows(l, 0) = rows(l, 1) = missing;
    return rows;
}

TEST(EmptySignals, TheOthersAreNumberedWithoutGaps) {
    for (const std::vector<std::size_t>& empty :
         {std::vector<std::size_t>{}, {0}, {9}, {0, 2, 3, 9}, {4, 5, 6, 7, 8, 9}}) {
        const Matrix rows = rows_with(10, empty);
        const MemorySource source{rows};
        const ObservedSignals observed(source, RankGroup());
        ASSERT_EQ(observed.count(), 10 - empty.size());
        EXPECT_EQ(observed.empty(), empty.size());
        std::vector<double> left;
        for (std::size_t l = 0; l < 10; ++l)
            if (!std::isnan(rows(l, 1))) {
                EXPECT_EQ(observed.number_of(l), left.size());
                left.push_back(rows(l, 1));
            } else {
                EXPECT_FALSE(observed.number_of(l));
            }
        for (std::size_t first = 0; first < left.size(); ++first)
            for (std::size_t size = 0; first + size <= left.size(); ++size) {
                std::vector<double> read(2 * size);
                observed.read(first, size, read.data());
                for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(read[2 * i + 1], left[first + i]);
            }
        Matrix numbers(left.size(), 1);
        for (std::size_t i = 0; i < left.size(); ++i) numbers(i, 0) = left[i];
        const Matrix all = observed.with_empty(numbers);
        for (std::size_t l = 0; l < 10; ++l) EXPECT_EQ(all(l, 0), std::isnan(rows(l, 1)) ? 0.0 : rows(l, 1));
        EXPECT_TRUE(observed.with_empty(Matrix()).empty());
    }
}

TEST(EmptySignals, RanksFindTheSame) {
    const Matrix rows = rows_with(1000, {0, 127, 128, 600, 999});
    const MemorySource source{rows};
    for (const std::exception_ptr& error : on_ranks(3, [&](Ranks& rank) {
             const ObservedSignals observed(source, RankGroup(&rank));
             EXPECT_EQ(observed.count(), 995U);
             EXPECT_EQ(observed.number_of(601), 597U);
         }))
        EXPECT_EQ(text_of(error), "");
}

TEST(EmptySignals, WrongValuesAreNamedByTheirOwnRow) {
    Matrix rows = rows_with(10, {0, 2});
    rows(6, 1) = std::numeric_limits<double>::infinity();
    const MemorySource source{rows};
    expect_error<InputError>([&] { ObservedSignals(source, RankGroup()); }, {"row 6, column 1", "inf"});
}

TEST(EmptySignals, AsZerosTheyAreRemembered) {
    const Matrix rows = rows_with(10, {3, 4});
    const MemorySource source{rows};
    const ZeroedSignals zeroed(source);
    std::vector<double> read(20);
    zeroed.read(0, 10, read.data());
    EXPECT_TRUE(std::isnan(read[2])) << "an entry of a signal that has others";
    for (std::size_t i = 6; i < 10; ++i) EXPECT_EQ(read[i], 0.0);
    for (std::size_t l = 0; l < 10; ++l) EXPECT_EQ(zeroed.was_empty(l), l == 3 || l == 4);
}

}  // namespace
}  // namespace sbdl::test
