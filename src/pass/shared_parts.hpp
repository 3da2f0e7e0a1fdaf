// The signals in parts, for learners with sparse codes. Sums over all signals are taken part by part, and then over the
// parts in order. Ranks have whole parts, so neither they nor the threads change a sum.
#pragma once

#include <functional>

#include "base/partition.hpp"
#include "base/rank_group.hpp"
#include "pass/signal_share.hpp"

namespace sbdl {

/// The number of parts, which depends only on the number of signals.
std::size_t signal_parts(std::size_t signals);

using PartBody = std::function<void(std::size_t part, std::size_t first, std::size_t count)>;

class SharedParts {
public:
    /// Of all signals, those of other ranks included.
    explicit SharedParts(std::size_t signals, RankGroup ranks = RankGroup());

    [[nodiscard]] const RankGroup& ranks() const { return ranks_; }
    /// This rank's signals, and its parts of them, in which they are counted from 0.
    [[nodiscard]] const IndexRange& signals() const { return signals_; }
    [[nodiscard]] const Partition& own() const { return own_; }

    /// Runs body(part, first signal, count) for this rank's parts on up to `threads` threads.
    void each(int threads, const PartBody& body) const;

    /// Signal l of `all`, from the rank that has it. To be called by all ranks.
    [[nodiscard]] Vec signal(const SignalShare& all, std::size_t l) const;

private:
    [[nodiscard]] IndexRange signals_of(int rank) const;

    RankGroup ranks_;
    Parts all_;
    IndexRange signals_;
    Partition own_;
};

/// The same for all signals, in one process.
inline void for_each_signal_part(std::size_t signals, int threads, const PartBody& body) {
    SharedParts(signals).each(threads, body);
}

}  // namespace sbdl
