// Codes of any number of signals in bounded memory: the threads code a round of blocks, which is then handed on in
// order, before the next round begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "base/partition.hpp"

namespace sbdl {

/// code(block, thread) returns the codes of a block of signals; hand_on(first, codes) gets them in order. With several
/// blocks per thread in a round, threads seldom wait for each other.
template <class Code, class HandOn>
void code_in_rounds(const Blocks& blocks, int threads, std::size_t blocks_per_thread, const Code& code,
                    const HandOn& hand_on) {
    using Codes = decltype(code(IndexRange{}, int{}));
    if (blocks.number() == 0) return;
    std::vector<Codes> done(std::min(blocks.number(), static_cast<std::size_t>(threads) * blocks_per_thread));
    for (const IndexRange& round : Blocks(blocks.number(), done.size())) {
        parallel_for(round.size, threads,
                     [&](std::size_t i, int thread) { done[i] = code(blocks[round.first + i], thread); });
        for (std::size_t i = 0; i < round.size; ++i) hand_on(blocks.first(round.first + i), done[i]);
    }
}

}  // namespace sbdl
