// The signals of a source, batch after batch, in the order of a pass.
#pragma once

#include <optional>
#include <vector>

#include "pass/signal_scan.hpp"
#include "pass/signal_share.hpp"
#include "sbdl/context.hpp"
#include "sbdl/stream.hpp"

namespace sbdl {

class SignalBatches {
public:
    SignalBatches(const SignalShare& signals, StreamOrder order, int batch, const Context& context);

    /// Begins pass number `pass`; shuffled passes with different numbers have different orders.
    void begin(std::uint32_t pass);

    /// The next batch, one signal per column; no columns when the pass is over. Valid until the next call. Throws
    /// InputError for signals that are not finite, where they were not checked before (order stored).
    const Mat& next();

    [[nodiscard]] std::size_t taken() const { return taken_; }
    /// Continues within the current pass, after the given number of signals, which is that of whole batches.
    void resume_after(std::size_t taken) {
        taken_ = taken;
        ahead_.clear();
        next_ = 0;
    }

private:
    void read_stored();
    void read_shuffled();

    SignalShare signals_;
    StreamOrder order_;
    std::size_t batch_;
    std::uint64_t seed_;
    int threads_;
    std::vector<std::size_t> shuffled_;
    std::size_t taken_ = 0;
    std::vector<Mat> ahead_;  // batches that have been read
    std::size_t next_ = 0;    // of them
};

/// At most so many signals are read before their batch is needed, or a single batch.
constexpr std::size_t signals_ahead = 4096;

/// Throws InputError unless there are signals, and all are finite. For a run with a checkpoint, the same read finds the
/// facts for its fingerprint.
std::optional<SignalFacts> check_all(const SignalSource& source, const Context& context);

/// The same. In order `stored` signals are checked as they are read, so that a huge file is read only once.
std::optional<SignalFacts> check_stream(const SignalSource& source, StreamOrder order, const Context& context);

/// Root mean square of a few thousand evenly spread signals; 1 when these are all zero.
double sample_unit(const SignalSource& source);

/// Unit-norm atoms to start from: strong signals, each the strongest of three drawn at random. The memory needed does
/// not grow with the source.
Mat strong_signals(const SignalShare& signals, int atoms, std::uint64_t seed);

}  // namespace sbdl
