#include "learners/stream/stream_passes.hpp"

#include <algorithm>

#include "base/partition.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_sweep =
    65'536;  // at most: a longer pass has several sweeps, so that observers are called

}  // namespace

StreamPasses::StreamPasses(const Plan& plan, const SignalShare& signals, const Context& context,
                           std::uint64_t seen_before)
    : plan_(plan),
      count_(signals.count()),
      batches_(signals, plan.order, plan.batch, context),
      passes_before_(static_cast<std::uint32_t>(seen_before / signals.count())),
      // Each of them has at least one batch.
      parts_(std::min(Blocks(signals.count(), signals_in_sweep).number(),
                      Blocks(signals.count(), static_cast<std::size_t>(plan.batch)).number())),
      seen_(seen_before) {}

void StreamPasses::begin_pass() {
    batches_.begin(passes_before_ + static_cast<std::uint32_t>(pass_));
}

int StreamPasses::sweep(const std::function<void(const Mat& Y)>& take) {
    if (part_ == 0) begin_pass();
    const std::size_t end = (part_ + 1) * count_ / parts_;
    do {
        const Mat& Y = batches_.next();
        take(Y);
        seen_ += static_cast<std::uint64_t>(Y.cols());
    } while (batches_.taken() < end);
    if (++part_ == parts_) {
        part_ = 0;
        ++pass_;
    }
    return ++sweep_;
}

void StreamPasses::archive(StateArchive& archive) {
    archive("pass", pass_);
    archive("part", part_);
    archive("sweep", sweep_);
    std::uint64_t taken = batches_.taken();
    archive("taken", taken);
    if (archive.loading() && part_ > 0) {
        begin_pass();
        batches_.resume_after(taken);
    }
    archive("seen", seen_);
}

}  // namespace sbdl
