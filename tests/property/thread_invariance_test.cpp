// The number of threads changes neither what is learned nor the trace, to the last bit.
#include <gtest/gtest.h>

#include <string>

#include "support/easy_set.hpp"
#include "support/gaps.hpp"
#include "support/same_result.hpp"

namespace sbdl::test {
namespace {

template <class Options>
void expect_threads_change_nothing(Options options, const std::string& kernels = "cpu", double missing = 0.0) {
    options.keep_codes = true;
    const Matrix signals = with_random_gaps(easy_set(420).signals, missing);  // four blocks, the last not full
    const MemorySource source{signals};
    const Model want = train(source, options, {.execution = {.threads = 1, .kernels = kernels}, .seed = 11}).model;
    for (const int threads : {2, 3}) {
        SCOPED_TRACE(threads);
        const Model got =
            train(source, options, {.execution = {.threads = threads, .kernels = kernels}, .seed = 11}).model;
        expect_same_model(got, want);
    }
    const Model other_seed =
        train(source, options, {.execution = {.threads = 2, .kernels = kernels}, .seed = 12}).model;
    EXPECT_NE(other_seed.trace.noise_sd, want.trace.noise_sd) << "the seed does not matter";
}

TEST(ThreadInvariance, GibbsAtomsInTurn) {
    expect_threads_change_nothing(short_gibbs(12));
}

TEST(ThreadInvariance, VbWithMissingEntries) {
    for (const CodePrior prior : {CodePrior::on_off, CodePrior::student_t}) {
        VbOptions options = short_vb(12);
        options.prior = prior;
        expect_threads_change_nothing(options, "cpu", 0.3);
    }
}

TEST(ThreadInvariance, GibbsWithMissingEntries) {
    expect_threads_change_nothing(short_gibbs(12), "cpu", 0.3);
}

TEST(ThreadInvariance, GibbsDictionaryWholeTwoChains) {
    GibbsOptions options = short_gibbs(12);
    options.update = DictionaryUpdate::joint;
    options.burn_in = 12;
    options.chains = 2;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, VbWithOnOffCodes) {
    expect_threads_change_nothing(short_vb(12));
}

TEST(ThreadInvariance, VbAtomsInTurn) {
    VbOptions options = short_vb(12);
    options.prior = CodePrior::student_t;
    options.update = DictionaryUpdate::sequential;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, VbDictionaryWhole) {
    VbOptions options = short_vb(12);
    options.prior = CodePrior::student_t;
    options.update = DictionaryUpdate::joint;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, ReferenceKernels) {
    GibbsOptions gibbs = short_gibbs(6);
    gibbs.burn_in = 5;
    expect_threads_change_nothing(gibbs, "reference");
    VbOptions vb = short_vb(6);
    vb.prior = CodePrior::student_t;
    vb.start_sweeps = 5;
    vb.sweeps = 5;
    expect_threads_change_nothing(vb, "reference");
}

}  // namespace
}  // namespace sbdl::test
