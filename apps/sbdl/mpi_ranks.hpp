// The ranks of MPI: the processes that mpirun has started.
#pragma once

#include <cstddef>
#include <span>

#include "sbdl/ranks.hpp"

namespace sbdl::app {

/// Starts MPI and, in the end, finishes it. There is at most one such object.
class MpiRanks final : public Ranks {
public:
    MpiRanks();
    ~MpiRanks() override;

    [[nodiscard]] int count() const override { return count_; }
    [[nodiscard]] int mine() const override { return mine_; }
    [[nodiscard]] int on_this_machine() const override { return on_this_machine_; }

    int least(int value) override;
    void broadcast(int from, std::span<std::byte> bytes) override;
    void send(int to, std::span<const std::byte> bytes) override;
    void receive(int from, std::span<std::byte> bytes) override;

private:
    int count_ = 1, mine_ = 0, on_this_machine_ = 1;
};

}  // namespace sbdl::app
