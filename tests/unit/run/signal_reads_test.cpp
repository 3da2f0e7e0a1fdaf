// Signals may be a file that is larger than memory: no method reads it more than twice before its first sweep.
#include <gtest/gtest.h>

#include <array>

#include "sbdl/train.hpp"
#include "support/counting_source.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

/// Records how much was read when a run is ready for its first sweep, and ends it then.
class ReadsBefore final : public Observer {
public:
    explicit ReadsBefore(const CountingSource& source) : source_(source) {}
    void on_start(const RunPlan&) override { before = source_.signals_read(); }
    Flow on_sweep(const SweepReport&) override { return Flow::stop; }

    std::size_t before = 0;

private:
    const CountingSource& source_;
};

class SignalReads : public ::testing::TestWithParam<std::string> {};

TEST_P(SignalReads, AreAtMostTwoOfEachBeforeTheFirstSweep) {
    const SynthSet set = easy_set(3000);
    const MemorySource signals{set.signals};
    const CountingSource source(signals);
    ReadsBefore observer(source);
    const std::array<Observer*, 1> observers{&observer};
    AnyOptions options = quick_options(GetParam());
    set_option(options, "keep_codes", 0);
    train(source, options, {.execution = {.threads = 1}, .seed = 1}, observers);
    EXPECT_LE(observer.before, 2U * 3000U + 300U) << "300: single signals, to start from";
    EXPECT_GT(observer.before, 0U);
}

// The read that checks the signals also hashes them. (A stream in the order of its file is not checked before, and has
// one more read.)
TEST_P(SignalReads, AreNoMoreForACheckpoint) {
    const SynthSet set = easy_set(3000);
    const MemorySource signals{set.signals};
    const auto reads = [&](const Checkpoint& checkpoint) {
        const CountingSource source(signals);
        ReadsBefore observer(source);
        const std::array<Observer*, 1> observers{&observer};
        Context context{.execution = {.threads = 1}, .seed = 1};
        context.checkpoint = checkpoint;
        train(source, quick_options(GetParam()), context, observers);
        return source.signals_read();
    };
    const TempFolder folder;
    const bool stored = to_json(quick_options(GetParam())).find("stored") != std::string::npos;
    EXPECT_EQ(reads({.path = folder / "checkpoint"}), reads({}) + (stored ? 3000U : 0U));
}

INSTANTIATE_TEST_SUITE_P(Methods, SignalReads, ::testing::ValuesIn(method_names()), name_of_parameter);

}  // namespace
}  // namespace sbdl::test
