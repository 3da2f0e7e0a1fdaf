// The way of every method through a stream: passes over the signals, cut into sweeps so that observers are called,
// batch after batch. Only a few batches are in memory.
#pragma once

#include <functional>

#include "base/state_archive.hpp"
#include "learners/stream/signal_batches.hpp"

namespace sbdl {

class StreamPasses {
public:
    struct Plan {
        int passes = 1;
        int batch = 1;
        StreamOrder order = StreamOrder::shuffled;
    };

    /// `seen_before`: how many signals the runs before this one have seen.
    StreamPasses(const Plan& plan, const SignalShare& signals, const Context& context, std::uint64_t seen_before);

    /// In all passes.
    [[nodiscard]] int sweeps() const { return plan_.passes * static_cast<int>(parts_); }
    [[nodiscard]] bool done() const { return pass_ > plan_.passes; }
    /// The next sweep is the first of its pass.
    [[nodiscard]] bool at_begin_of_pass() const { return part_ == 0; }

    /// Makes the next sweep: calls take(Y) with each batch, one signal per column. Returns its number, from 1.
    int sweep(const std::function<void(const Mat& Y)>& take);

    /// By this run and those before it.
    [[nodiscard]] std::uint64_t seen() const { return seen_; }

    void archive(StateArchive& archive);

private:
    void begin_pass();

    Plan plan_;
    std::size_t count_;
    SignalBatches batches_;
    std::uint32_t passes_before_;  // so that a continued run has different orders from the previous one
    std::size_t parts_;            // sweeps in a pass
    int pass_ = 1, sweep_ = 0;
    std::size_t part_ = 0;
    std::uint64_t seen_;
};

}  // namespace sbdl
