// The signals of a source, batch after batch, in the order of a pass.
#pragma once

#include <vector>

#include "learners/scaled_signals.hpp"
#include "sbdl/context.hpp"
#include "sbdl/stream.hpp"

namespace sbdl {

class SignalBatches {
public:
    SignalBatches(const ScaledSignals& signals, StreamOrder order, int batch, const Context& context);

    /// Begins pass number `pass`; shuffled passes with other numbers have other orders.
    void begin(std::uint32_t pass);

    /// The next batch, a signal a column; no columns when the pass is over. Valid until the next call. Throws
    /// InputError for signals that are not finite, where they were not checked before (order stored).
    const Mat& next();

    [[nodiscard]] std::size_t taken() const { return taken_; }

private:
    void read_stored(std::size_t count);
    void read_shuffled(std::size_t count);

    ScaledSignals signals_;
    StreamOrder order_;
    std::size_t batch_;
    std::uint64_t seed_;
    int threads_;
    std::vector<std::size_t> shuffled_;
    std::size_t taken_ = 0;
    Mat Y_;
};

/// Throws InputError unless there are signals, and all are finite; what order `stored` reads is only checked as it
/// comes, so that a huge file is read once.
void check_stream(const SignalSource& source, StreamOrder order);

/// Root mean square of evenly spread signals, some thousand at most; 1 when these are all zero.
double sample_unit(const SignalSource& source);

/// Unit-norm atoms to start from: signals that stand out, each the strongest of three drawn at random. Needs no memory
/// that grows with the source.
Mat strong_signals(const ScaledSignals& signals, int atoms, std::uint64_t seed);

}  // namespace sbdl
