// Ranks whose messages a Python object carries: how a run is shared by processes that only Python knows.
#pragma once

#include <nanobind/nanobind.h>

#include "python_stop.hpp"
#include "sbdl/ranks.hpp"

namespace sbdl::python {

/// `transport` has `count`, `mine`, `send(to, bytes)`, `receive(sender)`, which returns the bytes, `look()`, which
/// raises an exception if the run cannot go on, and `close()`. Rank 0 has no signals. `stop` calls look() while this
/// rank computes. An exception that leaves look(), send() or receive() is kept by `stop` and ends the call: it closes
/// the transport, which the other ranks notice. After a first Ctrl-C a call is made again. To be created and destroyed
/// with the GIL.
class PythonRanks final : public Ranks {
public:
    PythonRanks(nb::object transport, PythonStop& stop);

    [[nodiscard]] int count() const override { return count_; }
    [[nodiscard]] int mine() const override { return mine_; }
    [[nodiscard]] int first_with_signals() const override { return 1; }
    [[nodiscard]] std::size_t least_piece() const override { return std::size_t{1} << 20; }

    int least(int value) override;
    void broadcast(int from, std::span<std::byte> bytes) override;
    void send(int to, std::span<const std::byte> bytes) override;
    void receive(int from, std::span<std::byte> bytes) override;

private:
    /// Calls, with the GIL, which the caller has. If the call fails, the transport is closed.
    template <class Call>
    void attempt(const Call& call);
    /// Takes the GIL and calls; throws Stopped once a call has failed.
    template <class Call>
    void guarded(const Call& call);

    nb::object transport_;
    PythonStop& stop_;
    int count_, mine_;
    bool closed_ = false;
};

}  // namespace sbdl::python
