// Codes of any number of signals in bounded memory: blocks of signals run on the threads, a round of them at a time,
// and are handed on in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {

struct BlockRounds {
    std::size_t signals;
    std::size_t block;            ///< signals in one
    std::size_t blocks_a_thread;  ///< in a round, so that threads seldom wait for each other
    int threads;
};

/// code(first, count, thread) returns the codes of some signals; hand_on(first, codes) takes them, in order.
template <class Code, class HandOn>
void code_in_rounds(const BlockRounds& rounds, const Code& code, const HandOn& hand_on) {
    using Codes = decltype(code(std::size_t{}, std::size_t{}, int{}));
    const std::size_t blocks = (rounds.signals + rounds.block - 1) / rounds.block;
    std::vector<Codes> done(std::min(blocks, static_cast<std::size_t>(rounds.threads) * rounds.blocks_a_thread));
    for (std::size_t round = 0; round < blocks; round += done.size()) {
        const std::size_t in_round = std::min(done.size(), blocks - round);
        parallel_for(in_round, rounds.threads, [&](std::size_t i, int thread) {
            const std::size_t first = (round + i) * rounds.block;
            done[i] = code(first, std::min(rounds.block, rounds.signals - first), thread);
        });
        for (std::size_t i = 0; i < in_round; ++i) hand_on((round + i) * rounds.block, done[i]);
    }
}

}  // namespace sbdl
