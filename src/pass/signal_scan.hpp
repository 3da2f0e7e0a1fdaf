// What is known about the signals before the first sweep. Everything that depends on all of them is found in two reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/linalg.hpp"
#include "base/rank_group.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct SignalFacts {
    std::uint64_t hash = 0;                    ///< of every value, for fingerprints
    double largest = 0.0;                      ///< |value|
    double root_mean_square = 1.0;             ///< of the values that are not missing; 1 when they are all zero
    double values = 0.0;                       ///< number of values that are not missing
    std::size_t signals = 0;                   ///< number of signals with at least one such value
    std::size_t columns = 0;                   ///< entries of a signal that are observed in at least one
    bool gaps = false;                         ///< whether any value is missing
    std::optional<std::size_t> first_empty{};  ///< the first signal without any value
};

/// In which order squares are added up: block by block, or (BPFA) as a mean of the signals' own sums. It decides the
/// last digit of the root mean square.
enum class SumOfSquares { by_block, by_signal };

/// The first read: checks the signals as check_signals() does, except that signals may be empty, and finds all facts
/// but the root mean square. Throws InputError. Each rank reads a part; the facts are those of all signals.
SignalFacts look_at_signals(const SignalSource& source, MissingValues missing = MissingValues::rejected,
                            RankGroup ranks = RankGroup());

/// The signals that a rank reads for it: whole blocks of 128, and how many of these there are.
IndexRange scanned_part(const RankGroup& ranks, int rank, std::size_t signals);
std::size_t scanned_blocks(std::size_t signals);

/// Both reads: all facts.
SignalFacts scan_signals(const SignalSource& source, MissingValues missing = MissingValues::rejected,
                         SumOfSquares order = SumOfSquares::by_block, RankGroup ranks = RankGroup());

/// Whether any value is missing; reads no further than the first that is. Nothing is checked.
bool any_missing(const SignalSource& source);

/// The hash alone, in one read.
std::uint64_t hash_signals(const SignalSource& source);

}  // namespace sbdl
