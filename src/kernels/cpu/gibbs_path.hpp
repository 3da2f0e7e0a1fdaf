// Chooses the path on which the codes of a block are drawn, the order of its signals on the sparse path, and when that
// path gives up. The choice depends only on the data: with a clock, results would not be repeatable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/gibbs_tables.hpp"

namespace sbdl {

/// Atoms with gamma |d_n|^2 / alpha_n above this are active in a signal's code.
constexpr double active_threshold = 0.05;

/// Where conjugate gradients stop: |r|_P of a signal, in units of |w_0|. In posterior standard deviations the error of
/// the codes is at most the root of |E| times this (docs/math.md). On images |E| is 0.15 or less, so the error is about
/// 1e-8.
constexpr double tolerance = 2.5e-8;

/// The most that E may add to w_0, relative to its size: beyond this, single precision cannot reach the tolerance.
constexpr double most_correction = 0.125;

/// After this many steps a tile goes to the dense path.
constexpr std::size_t most_steps = 16;

/// The most active atoms of a signal on the sparse path; a multiple of 4.
constexpr std::size_t most_active(std::size_t M) {
    return round_up_4(M);
}

/// A code above the noise by itself: |d_n| |x_n| in units of the noise.
constexpr double large_code = 1.0;

/// With more large codes than this, or stronger signals in units of the noise, the statistics of a sparse block are
/// computed as on the dense path, entirely in double precision (see split_products-inl.hpp).
constexpr std::size_t most_large = 24 * block_size;
constexpr double most_strength = 32.0;

/// What the choice depends on: for each signal of a block, how many atoms are active, and the sum of s_n over the
/// others, which is the trace of E.
struct BlockActivity {
    alignas(vector_alignment) double active[block_size];
    alignas(vector_alignment) double rest[block_size];
};

/// The signal of the block that each lane holds.
struct LaneOrder {
    alignas(vector_alignment) std::uint64_t signal[block_size];
};

/// The order of the block.
LaneOrder plain_order();

/// Signals with few active atoms first: every signal of a tile costs as much as the one with the most active atoms.
LaneOrder order_by_activity(const BlockView& view, const BlockActivity& activity);

/// Doubles of memory that a sorted block takes.
std::size_t sorted_doubles(std::size_t M, std::size_t N);

/// Signals and code variances of the block in that order, in `memory`. Both copies go row by row: lane by lane, every
/// number would fetch its own cache line.
BlockView sort_block(const BlockView& block, const LaneOrder& order, std::size_t M, std::size_t N, double* memory);

/// Copies code variances, densities and, if the block requests them, codes (x, in the order of the sorted block) back
/// to their places.
void put_back(const BlockView& sorted, const double* x, const LaneOrder& order, std::size_t N, const BlockView& block);

/// True when, by the cost model, the sparse path in that order is cheaper for this block.
bool sparse_pays(const GibbsTables& tables, const BlockView& view, const BlockActivity& activity,
                 const LaneOrder& order);

}  // namespace sbdl
