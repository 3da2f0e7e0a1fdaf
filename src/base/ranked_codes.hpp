// Codes that ranks compute in turns, given to the sink of rank 0 in the order of the signals.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/rank_group.hpp"
#include "sbdl/encode.hpp"

namespace sbdl {

/// Calls work(round), which returns the codes of some signals, for round = 0 ... rounds - 1: each round on one rank.
/// The sink of rank 0 takes all of them, round after round.
void encode_in_turns(RankGroup ranks, std::size_t rounds, const std::function<std::span<Codes>(std::size_t)>& work,
                     const CodeSink& sink);

/// Codes as bytes, and back.
std::vector<std::byte> packed_codes(const Codes& codes);
Codes unpacked_codes(std::span<const std::byte> bytes);

}  // namespace sbdl
