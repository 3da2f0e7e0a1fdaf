// The number of threads changes nothing, to the last bit: neither what is learnt nor the trace of how.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/easy_set.hpp"

namespace sbdl::test {
namespace {

void expect_same(const Matrix& got, const Matrix& want) {
    ASSERT_EQ(got.rows(), want.rows());
    ASSERT_EQ(got.cols(), want.cols());
    EXPECT_TRUE(std::equal(got.data(), got.data() + got.size(), want.data()));
}

// NaN, as in the objective of a sampled start, is equal to itself here.
bool same_bits(const std::vector<double>& got, const std::vector<double>& want) {
    return got.size() == want.size() && std::memcmp(got.data(), want.data(), got.size() * sizeof(double)) == 0;
}

template <class Options>
void expect_threads_change_nothing(Options options, const std::string& kernels = "cpu") {
    options.keep_codes = true;
    const SynthSet set = easy_set(420);  // four blocks, the last not full
    const MemorySource source{set.signals};
    const Model want = train(source, options, {.threads = 1, .seed = 11, .kernels = kernels}).model;
    for (const int threads : {2, 3}) {
        SCOPED_TRACE(threads);
        const Model got = train(source, options, {.threads = threads, .seed = 11, .kernels = kernels}).model;
        expect_same(got.dictionary, want.dictionary);
        expect_same(got.dictionary_std, want.dictionary_std);
        expect_same(got.codes, want.codes);
        expect_same(got.codes_std, want.codes_std);
        EXPECT_EQ(got.atom_norm, want.atom_norm);
        EXPECT_EQ(got.atom_usage, want.atom_usage);
        EXPECT_EQ(got.noise_sd, want.noise_sd);
        EXPECT_EQ(got.noise_sd_std, want.noise_sd_std);
        EXPECT_EQ(got.code_rate, want.code_rate);
        EXPECT_TRUE(same_bits(got.trace.objective, want.trace.objective));
        EXPECT_EQ(got.trace.noise_sd, want.trace.noise_sd);
        EXPECT_EQ(got.trace.kept, want.trace.kept);
    }
    const Model other_seed = train(source, options, {.threads = 2, .seed = 12, .kernels = kernels}).model;
    EXPECT_NE(other_seed.trace.noise_sd, want.trace.noise_sd) << "the seed does not matter";
}

TEST(ThreadInvariance, GibbsAtomsInTurn) {
    expect_threads_change_nothing(short_gibbs(12));
}

TEST(ThreadInvariance, GibbsDictionaryWholeTwoChains) {
    GibbsOptions options = short_gibbs(12);
    options.update = DictionaryUpdate::joint;
    options.burn_in = 12;
    options.chains = 2;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, VbAtomsInTurn) {
    VbOptions options = short_vb(12);
    options.update = DictionaryUpdate::sequential;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, VbDictionaryWhole) {
    VbOptions options = short_vb(12);
    options.update = DictionaryUpdate::joint;
    expect_threads_change_nothing(options);
}

TEST(ThreadInvariance, ReferenceKernels) {
    GibbsOptions gibbs = short_gibbs(6);
    gibbs.burn_in = 5;
    expect_threads_change_nothing(gibbs, "reference");
    VbOptions vb = short_vb(6);
    vb.start_sweeps = 5;
    vb.sweeps = 5;
    expect_threads_change_nothing(vb, "reference");
}

}  // namespace
}  // namespace sbdl::test
