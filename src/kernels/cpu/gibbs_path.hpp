// Which of the two ways to draw codes a block takes, and when the sparse one gives up. Decided by the data alone: by a
// clock, results would stop being repeatable.
#pragma once

#include <cstddef>

#include "kernels/cpu/gibbs_tables.hpp"
#include "kernels/cpu/lane_order.hpp"

namespace sbdl {

/// Atoms with gamma |d_n|^2 / alpha_n above this are active in a signal's code.
constexpr double active_threshold = 0.05;

/// Where conjugate gradients stop: |r|_P of a signal, in units of |w_0|. In posterior standard deviations the error of
/// the codes is the root of |E| times that, or less (docs/math.md), and |E| is 0.15 or less on images: 1e-8.
constexpr double tolerance = 2.5e-8;

/// The most that E may add to w_0, of its size: beyond, single precision is not enough for the tolerance.
constexpr double most_correction = 0.125;

/// Steps after which a tile is given to the dense path.
constexpr std::size_t most_steps = 16;

/// Active atoms a signal may have on the sparse path; a multiple of 4.
constexpr std::size_t most_active(std::size_t M) {
    return round_up_4(M);
}

/// A code that stands above the noise by itself: |d_n| |x_n| in units of it.
constexpr double large_code = 1.0;

/// Where the statistics of a sparse block are made as on the dense path, with nothing in single precision (see
/// split_products-inl.hpp): with more large codes than this, or signals further above the noise.
constexpr std::size_t most_large = 24 * block_size;
constexpr double most_strength = 32.0;

/// What the choice depends on: for each signal of a block, how many atoms are active, and the sum of s_n over the
/// others, which is the trace of E.
struct BlockActivity {
    alignas(vector_alignment) double active[block_size];
    alignas(vector_alignment) double rest[block_size];
};

/// Those with few active atoms first: the signals of a tile do all the work of the one that has most.
LaneOrder order_by_activity(const BlockView& view, const BlockActivity& activity);

/// True when the model of the costs says that the sparse path, in that order, is the cheaper one for this block.
bool sparse_pays(const GibbsTables& tables, const BlockView& view, const BlockActivity& activity,
                 const LaneOrder& order);

}  // namespace sbdl
