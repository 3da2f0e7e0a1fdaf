// Missing entries of a block of signals, given its codes (docs/math.md, K3). All kernel sets share this.
#pragma once

#include "kernels/kernel_set.hpp"

namespace sbdl {

/// One column per signal of the block.
struct CompletedSignals {
    Mat signals;  ///< D x where an entry is missing
    Mat noise;    ///< a standard normal number where an entry is missing, 0 elsewhere
};

/// `x` has the codes of the block's signals as columns.
CompletedSignals complete_signals(const BlockView& view, const GibbsSweep& sweep, const Eigen::Ref<const Mat>& x);

}  // namespace sbdl
