// How a computation runs is decided in one place, for every method and coder, and restored afterwards.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/compute_scope.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/inpaint.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/expect_error.hpp"

extern "C" {
int openblas_get_num_threads() __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));
}

namespace sbdl::test {
namespace {

class Execution : public ::testing::Test {
protected:
    void TearDown() override { unsetenv("SBDL_CPU"); }  // NOLINT(concurrency-mt-unsafe): tests have one thread
    static void want(const char* name) { setenv("SBDL_CPU", name, 1); }  // NOLINT(concurrency-mt-unsafe)
};

TEST_F(Execution, EveryMethodAndCoderObeysTheEnvironment) {
    const SynthSet set = easy_set(60);
    const MemorySource source{set.signals};
    want("abacus");
    for (const Method& method : methods()) {
        SCOPED_TRACE(method.name);
        expect_error<InputError>([&] { train(source, quick_options(std::string(method.name), 6)); },
                                 {"SBDL_CPU is 'abacus'", "baseline"});
    }
    expect_error<InputError>([&] { encode(set.dictionary, set.signals, OmpOptions{.max_nonzeros = 2}); }, {"SBDL_CPU"});
    expect_error<InputError>([&] { encode(set.dictionary, set.signals, LassoOptions{.lambda = 0.1}); }, {"SBDL_CPU"});
    expect_error<InputError>([&] { encode(set.dictionary, set.signals, FistaOptions{.lambda = 0.1}); }, {"SBDL_CPU"});
    want("");
    const Model model = train(source, short_gibbs(6)).model;
    const Image image = make_image(16, 16, /*colour=*/false, 1);
    want("abacus");
    expect_error<InputError>([&] { encode(model, set.signals, PosteriorCoderOptions{}); }, {"SBDL_CPU"});
    expect_error<InputError>([&] { denoise(image, {}); }, {"SBDL_CPU"});
    expect_error<InputError>([&] { inpaint(image, {}); }, {"SBDL_CPU"});
}

// Highway takes the best target that is not disabled; a better one is a lower bit.
TEST_F(Execution, AScopeDisablesEveryTargetBetterThanTheOneWanted) {
    std::int64_t worse = std::numeric_limits<std::int64_t>::max();
    for (const std::string& name : instruction_sets()) {
        SCOPED_TRACE(name);
        want(name.c_str());
        const ComputeScope scope;
        const std::int64_t best = hwy::SupportedTargets() & -hwy::SupportedTargets();
        EXPECT_LT(best, worse) << "no better than the one before";
        worse = best;
    }
    EXPECT_EQ(worse, hwy::SupportedTargets() & -hwy::SupportedTargets()) << "the last is the best there is";
}

TEST_F(Execution, TheEnvironmentIsReadAnewByEachComputation) {
    want("abacus");
    EXPECT_THROW(ComputeScope(), InputError);
    want(instruction_sets().front().c_str());
    {
        const ComputeScope outer;
        want("abacus");
        EXPECT_NO_THROW(ComputeScope()) << "a scope inside another changes nothing";
    }
    want("");
    EXPECT_NO_THROW(ComputeScope());
    EXPECT_EQ(wanted_instruction_set(), instruction_sets().back());
}

// The caller's own vector code may use Highway as well, and have disabled targets.
TEST_F(Execution, TheTargetsThatTheCallerDisabledStayDisabled) {
    const std::vector<std::string> available = instruction_sets();
    const std::int64_t all = hwy::SupportedTargets();
    const std::int64_t best = all & -all;
    for (const std::int64_t disabled : {std::int64_t{0}, best}) {
        hwy::DisableTargets(disabled);
        const std::int64_t before = hwy::SupportedTargets();
        for (const std::string& name : available) {
            want(name.c_str());
            const ComputeScope outer;
            const ComputeScope inner;
        }
        EXPECT_EQ(hwy::SupportedTargets(), before);
    }
    hwy::DisableTargets(0);
    EXPECT_EQ(hwy::SupportedTargets(), all);
    EXPECT_EQ(instruction_sets(), available);
}

TEST_F(Execution, TheThreadsOfBlasAreRestored) {
    if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS";
    const int before = openblas_get_num_threads();
    openblas_set_num_threads(2);
    const int set = openblas_get_num_threads();  // 1 on a machine with one core
    {
        const ComputeScope scope;
        EXPECT_EQ(openblas_get_num_threads(), 1);
        const ComputeScope inner;
    }
    EXPECT_EQ(openblas_get_num_threads(), set);
    openblas_set_num_threads(before);
}

}  // namespace
}  // namespace sbdl::test
