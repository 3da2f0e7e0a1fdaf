#include "base/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t counts[] = {0, 1, 2, 7, 127, 128, 129, 1000};
constexpr std::size_t pieces[] = {1, 2, 3, 7, 128, 1001};

/// Every item is in exactly one piece, in order, and a loop over the pieces visits them all.
void expect_whole(const Partition& partition, std::size_t count) {
    std::size_t item = 0, number = 0;
    for (const IndexRange& piece : partition) {
        EXPECT_EQ(piece.number, number);
        EXPECT_EQ(piece.first, item);
        EXPECT_EQ(piece.first, partition.first(number));
        EXPECT_EQ(piece.size, partition.size(number));
        item = piece.end();
        ++number;
    }
    EXPECT_EQ(number, partition.number());
    EXPECT_EQ(item, count);
    EXPECT_EQ(partition.count(), count);
    EXPECT_EQ(partition.first(partition.number()), count);
}

TEST(Blocks, AreOfTheGivenSizeExceptTheLast) {
    for (const std::size_t count : counts)
        for (const std::size_t size : pieces) {
            const Blocks blocks(count, size);
            expect_whole(blocks, count);
            EXPECT_EQ(blocks.number(), count / size + (count % size == 0 ? 0 : 1));
            for (std::size_t i = 0; i < blocks.number(); ++i) {
                EXPECT_EQ(blocks.first(i), i * size);
                EXPECT_EQ(blocks.size(i), std::min(size, count - i * size));
            }
        }
}

TEST(Partition, APartHasTheSamePieces) {
    for (const std::size_t count : counts)
        for (const std::size_t number : pieces)
            for (const Partition& whole : {Partition(Blocks(count, number)), Partition(Parts(count, number))}) {
                const std::size_t first = whole.number() / 3, end = whole.number() - whole.number() / 4;
                const Partition part = whole.part(first, end - first);
                expect_whole(part, whole.first(end) - whole.first(first));
                EXPECT_EQ(part.number(), end - first);
                for (std::size_t i = 0; i < part.number(); ++i) EXPECT_EQ(part.size(i), whole.size(first + i));
            }
}

TEST(Parts, AreOfAlmostEqualSize) {
    for (const std::size_t count : counts)
        for (const std::size_t number : pieces) {
            const Parts parts(count, number);
            expect_whole(parts, count);
            EXPECT_EQ(parts.number(), number);
            for (std::size_t i = 0; i < number; ++i) {
                EXPECT_EQ(parts.first(i), i * count / number);
                EXPECT_GE(parts.size(i), count / number);
                EXPECT_LE(parts.size(i), count / number + 1);
            }
        }
}

TEST(Partition, ParallelForVisitsEveryPieceOnce) {
    const Blocks blocks(1000, 64);
    for (const int threads : {1, 3}) {
        std::vector<std::atomic<int>> visits(blocks.count());
        parallel_for(blocks, threads, [&](const IndexRange& block, int thread) {
            EXPECT_LT(thread, threads);
            for (std::size_t i = block.first; i < block.end(); ++i) ++visits[i];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
}

}  // namespace
}  // namespace sbdl
