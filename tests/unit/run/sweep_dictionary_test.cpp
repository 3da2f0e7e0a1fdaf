// The dictionary in a sweep's report is the one that a run ending there would return, for every learner.
#include <gtest/gtest.h>

#include <array>

#include "sbdl/sbdl.hpp"
#include "support/easy_set.hpp"
#include "support/sparse_checks.hpp"

namespace sbdl::test {
namespace {

class LastDictionary : public Observer {
public:
    explicit LastDictionary(int stop_at) : stop_at_(stop_at) {}
    Flow on_sweep(const SweepReport& report) override {
        dictionary = report.dictionary();
        return report.sweep == stop_at_ ? Flow::stop : Flow::go_on;
    }
    Matrix dictionary;

private:
    int stop_at_;
};

template <class Options>
void expect_dictionary(const Options& options, int stop_at) {
    static const SynthSet set = easy_set(200);
    LastDictionary last(stop_at);
    const std::array<Observer*, 1> observers{&last};
    const TrainResult result = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}, observers);
    EXPECT_EQ(result.reason, StopReason::observer);
    ASSERT_EQ(last.dictionary.rows(), 12U);
    for (std::size_t i = 0; i < last.dictionary.size(); ++i)
        ASSERT_NEAR(last.dictionary.data()[i], result.model.dictionary.data()[i], 1e-14) << result.model.method;
}

template <class Options>
Options options_of(int sweeps) {
    Options options = Options::preset(Preset::standard, 12);
    options.sweeps = sweeps;
    if constexpr (requires { options.sparsity; }) options.sparsity = 2;
    if constexpr (requires { options.lambda_s; }) options.lambda_s = 0.1;
    if constexpr (
        requires { options.lambda; } && !requires { options.sparsity; })
        options.lambda = 0.1;
    return options;
}

TEST(SweepDictionary, OfAChainIsItsDrawInBurnInAndItsMeanAfterwards) {
    for (const int stop_at : {10, 25, 30}) expect_dictionary(short_gibbs(12), stop_at);
    GibbsOptions last_draw = short_gibbs(12);
    last_draw.average = false;
    expect_dictionary(last_draw, 30);
    BpfaOptions bpfa = BpfaOptions::preset(Preset::standard, 12);
    bpfa.burn_in = 10;
    bpfa.draws = 10;
    for (const int stop_at : {5, 15}) expect_dictionary(bpfa, stop_at);
}

TEST(SweepDictionary, OfTheOthersIsWhatTheyHave) {
    for (const int stop_at : {10, 30}) expect_dictionary(short_vb(12), stop_at);
    expect_dictionary(options_of<KsvdOptions>(9), 3);
    expect_dictionary(options_of<ModOptions>(9), 3);
    expect_dictionary(options_of<SimcoOptions>(9), 3);
    expect_dictionary(options_of<MajorizationOptions>(9), 3);
    expect_dictionary(options_of<ApruOptions>(9), 3);
    expect_dictionary(options_of<OnlineOptions>(9), 3);
    expect_dictionary(options_of<RlsOptions>(9), 3);
    expect_dictionary(options_of<SgdOptions>(9), 3);
}

}  // namespace
}  // namespace sbdl::test
