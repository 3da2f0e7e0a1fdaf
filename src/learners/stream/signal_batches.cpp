#include "learners/stream/signal_batches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

constexpr std::size_t read_block = 32;                       // read by one thread at a time
constexpr std::size_t sample_values = std::size_t{1} << 20;  // used to find the unit

/// The strongest of three.
Vec strong_signal(const SignalShare& signals, DrawStream& draws) {
    Vec best = Vec::Zero(signals.dim());
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Vec y = signals.checked_block(draws.below(signals.count()), 1);
        if (y.squaredNorm() > best.squaredNorm()) best = y;
    }
    if (best.squaredNorm() == 0.0)
        for (Eigen::Index m = 0; m < best.size(); ++m) best[m] = draws.normal();
    return best.normalized();
}

}  // namespace

SignalBatches::SignalBatches(const SignalShare& signals, StreamOrder order, int batch, const Context& context)
    : signals_(signals),
      order_(order),
      batch_(std::min(static_cast<std::size_t>(batch), signals.count())),
      seed_(context.seed),
      threads_(resolve_threads(context.execution.threads)),
      taken_(signals.count()) {}

void SignalBatches::begin(std::uint32_t pass) {
    taken_ = 0;
    ahead_.clear();
    next_ = 0;
    if (order_ == StreamOrder::stored) return;
    shuffled_.resize(signals_.count());
    std::iota(shuffled_.begin(), shuffled_.end(), std::size_t{0});
    DrawStream draws(seed_, {Purpose::online_order, pass & 0xFFFFFFu, 0, 0});
    for (std::size_t left = shuffled_.size(); left > 1; --left)
        std::swap(shuffled_[left - 1], shuffled_[draws.below(left)]);
}

const Mat& SignalBatches::next() {
    if (next_ == ahead_.size()) {
        next_ = 0;
        if (order_ == StreamOrder::stored)
            read_stored();
        else
            read_shuffled();
    }
    const Mat& batch = ahead_[next_++];
    taken_ += static_cast<std::size_t>(batch.cols());
    return batch;
}

/// One batch. Its signals have not been checked before.
void SignalBatches::read_stored() {
    const std::size_t count = std::min(batch_, signals_.count() - taken_);
    ahead_.resize(1);
    ahead_.front() = signals_.checked_block(taken_, count);
}

/// Several batches, if they are small: threads that start and stop for each would take longer than the reading.
void SignalBatches::read_shuffled() {
    const std::size_t count =
        std::min(std::max(signals_ahead / batch_, std::size_t{1}) * batch_, signals_.count() - taken_);
    const Blocks batches(count, batch_);
    ahead_.resize(std::max(batches.number(), std::size_t{1}));
    ahead_.front().resize(signals_.dim(), 0);  // for the end of the pass
    for (const IndexRange& batch : batches)
        ahead_[batch.number].resize(signals_.dim(), static_cast<Eigen::Index>(batch.size));
    parallel_for(Blocks(count, read_block), threads_, [&](const IndexRange& block, int) {
        for (std::size_t i = block.first; i < block.end(); ++i) {
            signals_.read(shuffled_[taken_ + i], 1,
                          ahead_[i / batch_].col(static_cast<Eigen::Index>(i % batch_)).data());
        }
    });
}

std::optional<SignalFacts> check_stream(const SignalSource& source, StreamOrder order, const Context& context) {
    check_shape(source);
    return order == StreamOrder::stored ? std::nullopt : check_all(source, context);
}

std::optional<SignalFacts> check_all(const SignalSource& source, const Context& context) {
    if (!context.checkpoint.path.empty()) return look_at_signals(source);
    check_signals(source);
    return {};
}

double sample_unit(const SignalSource& source) {
    const std::size_t count = std::clamp<std::size_t>(sample_values / source.dim(), 1, source.count());
    Mat sample(static_cast<Eigen::Index>(source.dim()), static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i)
        read_checked(source, {0, i * source.count() / count, 1}, sample.col(static_cast<Eigen::Index>(i)).data());
    const double largest = sample.cwiseAbs().maxCoeff();
    if (largest == 0.0) return 1.0;
    return largest * std::sqrt((sample / largest).squaredNorm() / static_cast<double>(sample.size()));
}

Mat strong_signals(const SignalShare& signals, int atoms, std::uint64_t seed) {
    Mat D(signals.dim(), atoms);
    DrawStream draws(seed, {Purpose::online_order, 0, 0, 0});
    for (Eigen::Index n = 0; n < D.cols(); ++n) D.col(n) = strong_signal(signals, draws);
    return D;
}

}  // namespace sbdl
