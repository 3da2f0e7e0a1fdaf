// Execution::stop ends learning and coding in the middle of the work.
#include <gtest/gtest.h>

#include <array>

#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"

namespace sbdl::test {
namespace {

/// Counts how often it is asked, and says yes from `yes_at` on.
struct Asked {
    int times = 0, yes_at = 0;
    [[nodiscard]] Context context(int threads) {
        Context context;
        context.execution.threads = threads;
        context.execution.stop = [this] { return ++times >= yes_at; };
        return context;
    }
};

class Begun final : public Observer {
public:
    void on_start(const RunPlan&) override { begun = true; }
    void on_finish() override { finished = true; }
    bool begun = false, finished = false;
};

TEST(StopThreads, EndsEveryMethodInTheMiddleOfASweep) {
    const SynthSet set = easy_set(300);
    const MemorySource source{set.signals};
    for (const Method& method : methods()) {
        if (method.name == "dct") continue;  // it has nothing to learn
        Asked asked{.yes_at = 40};
        Begun observer;
        const std::array<Observer*, 1> observers{&observer};
        EXPECT_THROW(train(source, quick_options(method.name), asked.context(2), observers), Stopped) << method.name;
        EXPECT_EQ(asked.times, 40) << method.name << ": nothing is asked again";
        EXPECT_EQ(observer.begun, observer.finished) << method.name;
    }
}

TEST(StopThreads, EndsCoding) {
    const SynthSet set = easy_set(3000);
    const MemorySource source{set.signals};
    std::size_t coded = 0;
    const CodeSink count = [&](const Codes& block) { coded += block.as_matrix().rows(); };
    Asked asked{.yes_at = 5};
    const OmpOptions omp{.max_nonzeros = 2};
    EXPECT_THROW(encode(set.dictionary, source, omp, asked.context(1), count), Stopped);
    EXPECT_LT(coded, source.count());
    const Model model = train(source, short_gibbs(12)).model;
    Asked again{.yes_at = 60};
    coded = 0;
    EXPECT_THROW(encode(model, source, PosteriorCoderOptions{}, again.context(1), count), Stopped);
    EXPECT_LT(coded, source.count());
}

}  // namespace
}  // namespace sbdl::test
