// The signals of a block in another order: signals that share a vector share the work of the one that needs most, so
// that it pays to put like next to like.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_set.hpp"

namespace sbdl {

/// Which signal of the block each lane is.
struct LaneOrder {
    alignas(vector_alignment) std::uint64_t signal[block_size];
};

/// As they come.
LaneOrder plain_order();

/// Doubles of memory that a sorted block takes.
std::size_t sorted_doubles(std::size_t M, std::size_t N);

/// Signals and code variances of the block in that order, in `memory`. A row at a time, there and back: lane by lane,
/// every number would fetch a cache line of its own.
BlockView sort_block(const BlockView& block, const LaneOrder& order, std::size_t M, std::size_t N, double* memory);

/// Code variances, densities and, where the block asks for them, codes (x, in the sorted block's order) back to their
/// places.
void put_back(const BlockView& sorted, const double* x, const LaneOrder& order, std::size_t N, const BlockView& block);

}  // namespace sbdl
