// The re-estimation of the noise, given the true dictionary of a synthetic set.
#include "pass/noise_reestimation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/compute_scope.hpp"
#include "sbdl/synth.hpp"
#include "support/pass_over.hpp"

namespace sbdl::test {
namespace {

NoiseEstimate with_true_dictionary(const SynthSet& set, double unit, int threads) {
    const ComputeScope scope;
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, unit, set.dictionary.rows(), threads);
    return reestimate_noise(pass, as_columns(set.dictionary), 3, 0);
}

// The paper's size. The estimate is within 5 % of the truth, and so is its stated standard deviation.
TEST(NoiseReestimation, FindsTheNoiseWithTheTrueDictionary) {
    for (const double snr_db : {10.0, 20.0, 30.0}) {
        SCOPED_TRACE(snr_db);
        const SynthSet set = synthesize({.snr_db = snr_db, .seed = 5});
        const NoiseEstimate estimate = with_true_dictionary(set, 1.0, 1);
        EXPECT_NEAR(estimate.noise_sd / set.noise_sd, 1.0, 0.05);
        EXPECT_GT(estimate.noise_sd_std, 0.0);
        EXPECT_LT(estimate.noise_sd_std, 0.02 * estimate.noise_sd);
        EXPECT_NEAR(estimate.share_on, 3.0 / 50.0, 0.02);
    }
}

TEST(NoiseReestimation, DoesNotDependOnThreads) {
    const SynthSet set = synthesize({.signals = 300, .seed = 6});
    const NoiseEstimate one = with_true_dictionary(set, 1.0, 1);
    for (const int threads : {2, 3}) {
        const NoiseEstimate several = with_true_dictionary(set, 1.0, threads);
        EXPECT_EQ(one.noise_sd, several.noise_sd);
        EXPECT_EQ(one.noise_sd_std, several.noise_sd_std);
        EXPECT_EQ(one.share_on, several.share_on);
    }
}

TEST(NoiseReestimation, NoSignalNoNoiseAndTinySetsStayFinite) {
    SynthSet nothing = synthesize({.dim = 4, .atoms = 6, .signals = 5, .sparsity_min = 1, .sparsity_max = 1});
    nothing.signals = Matrix(5, 4);
    EXPECT_EQ(with_true_dictionary(nothing, 1.0, 1).noise_sd, 0.0);

    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{400}}) {
        const SynthSet clean = synthesize({.dim = 8,
                                           .atoms = 12,
                                           .signals = count,
                                           .sparsity_min = 2,
                                           .sparsity_max = 2,
                                           .snr_db = std::numeric_limits<double>::infinity(),
                                           .seed = 7});
        const NoiseEstimate estimate = with_true_dictionary(clean, 1.0, 1);
        EXPECT_TRUE(std::isfinite(estimate.noise_sd) && std::isfinite(estimate.noise_sd_std) &&
                    std::isfinite(estimate.share_on));
        EXPECT_GE(estimate.noise_sd, 0.0);
    }
}

// VB switches atoms off: their means vanish, or fall to where their squares do. The others must determine the result
// undisturbed.
TEST(NoiseReestimation, IsNotDisturbedByAtomsThatAreSwitchedOff) {
    const SynthSet set = synthesize({.dim = 8, .atoms = 12, .signals = 400, .sparsity_min = 2, .sparsity_max = 2});
    const ComputeScope scope;
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, 1.0, 14, 1);
    Mat D = Mat::Zero(8, 14);
    D.leftCols(12) = as_columns(set.dictionary);
    const NoiseEstimate zero = reestimate_noise(pass, D, 3, 0);
    EXPECT_NEAR(zero.noise_sd / set.noise_sd, 1.0, 0.05);
    D.col(13).setConstant(1e-283);
    const NoiseEstimate tiny = reestimate_noise(pass, D, 3, 0);
    EXPECT_NEAR(tiny.noise_sd / set.noise_sd, 1.0, 0.05);
}

}  // namespace
}  // namespace sbdl::test
