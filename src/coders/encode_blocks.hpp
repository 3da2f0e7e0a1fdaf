// What the public coders have in common: they check their input, then code the signals block by block on all threads
// and hand the codes on in order.
#pragma once

#include <cstddef>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "coders/block_rounds.hpp"
#include "coders/check_coding.hpp"
#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

/// The codes of a block, and how many of them are not known to have converged.
template <class Codes>
struct CodedBlock {
    Codes codes;
    std::size_t unsettled = 0;
};

/// hand_on(first, codes) gets what the coder makes of each block, in order. A Coder for these options has
///
///     static void check(MatrixView dictionary, const Options&)                   throws InputError
///     Coder(MatrixView dictionary, const Options&)
///     code(const SignalSource&, const IndexRange& block, Workspace&) const       reads the block with read_checked()
///     Workspace                                                                  one per thread
///     block_signals, blocks_per_thread
template <class Coder, class Options, class HandOn>
void encode_blocks(MatrixView dictionary, const SignalSource& signals, const Options& options, const Context& context,
                   const HandOn& hand_on) {
    Coder::check(dictionary, options);
    check_lengths(dictionary, signals);
    check_shape(signals);  // a pass over all values would add a tenth to the time of OMP: blocks are checked when read
    const ComputeScope scope;
    const Coder coder(dictionary, options);
    const int threads = resolve_threads(context.execution.threads);
    std::vector<typename Coder::Workspace> workspaces(static_cast<std::size_t>(threads));
    code_in_rounds(
        Blocks(signals.count(), Coder::block_signals), threads, Coder::blocks_per_thread,
        [&](const IndexRange& block, int thread) {
            return coder.code(signals, block, workspaces[static_cast<std::size_t>(thread)]);
        },
        hand_on);
}

}  // namespace sbdl
