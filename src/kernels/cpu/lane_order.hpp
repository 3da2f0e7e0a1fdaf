// The signals of a block in another order. All signals of a vector cost as much as the most expensive one, so similar
// signals are put next to each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_set.hpp"

namespace sbdl {

/// The signal of the block that each lane holds.
struct LaneOrder {
    alignas(vector_alignment) std::uint64_t signal[block_size];
};

/// The order of the block.
LaneOrder plain_order();

/// Doubles of memory that a sorted block takes.
std::size_t sorted_doubles(std::size_t M, std::size_t N);

/// Signals and code variances of the block in that order, in `memory`. Both copies go row by row: lane by lane, every
/// number would fetch its own cache line.
BlockView sort_block(const BlockView& block, const LaneOrder& order, std::size_t M, std::size_t N, double* memory);

/// Copies code variances, densities and, if the block wants them, codes (x, in the order of the sorted block) back to
/// their places.
void put_back(const BlockView& sorted, const double* x, const LaneOrder& order, std::size_t N, const BlockView& block);

}  // namespace sbdl
