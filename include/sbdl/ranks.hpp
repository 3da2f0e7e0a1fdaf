// The processes that share a run, as the library sees them: how many there are, and how they exchange bytes. The
// program implements this for MPI; any other transport can do the same.
#pragma once

#include <cstddef>
#include <span>

namespace sbdl {

/// All ranks make the same call, train() for example, with the same arguments, except for observers, which only rank 0
/// needs. Each works on a consecutive part of the signals; the result is the same on all of them, and the same to the
/// last bit as that of one process. An error of one rank ends the call on all of them with its message.
///
/// The members are called by the thread that made the call, by all ranks in the same order.
class Ranks {
public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] virtual int count() const = 0;
    /// The number of this rank: 0 ... count() - 1.
    [[nodiscard]] virtual int mine() const = 0;

    /// Returns the least of the values that the ranks give.
    virtual int least(int value) = 0;
    /// Fills `bytes` on all ranks with those of rank `from`.
    virtual void broadcast(int from, std::span<std::byte> bytes) = 0;
    /// Returns once `bytes` can be reused. The rank `to` receives as many.
    virtual void send(int to, std::span<const std::byte> bytes) = 0;
    virtual void receive(int from, std::span<std::byte> bytes) = 0;

    /// Ranks before this one have no signals: they decide and report with the others. Less than count().
    [[nodiscard]] virtual int first_with_signals() const { return 0; }
    /// How many ranks take Execution::memory_bytes together: those of this machine. 1: each of them may take it.
    [[nodiscard]] virtual int on_this_machine() const { return 1; }
    /// Large sums are sent in pieces, of at least this many bytes: where every message takes long, few large ones are
    /// better. The same on all ranks.
    [[nodiscard]] virtual std::size_t least_piece() const { return 0; }

private:
    friend class RankGroup;
    bool failed_ = false;  // an error has ended the call on all ranks
};

}  // namespace sbdl
