// The re-estimation of the noise: against the same sampler written plainly, and given the true dictionary of a
// synthetic set.
#include "pass/noise_reestimation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "base/compute_scope.hpp"
#include "plain_on_off.hpp"
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

/// N1 of the signals in the columns of Y, which stand for `all_signals` signals.
NoiseEstimate plain_reestimation(const Mat& Y, const Mat& atoms, double all_signals, std::uint64_t seed,
                                 const ReestimationOptions& options) {
    const auto N = static_cast<double>(atoms.cols()), values = static_cast<double>(Y.size());
    const double mean_square = Y.squaredNorm() / values;
    double p = 0.05, v = mean_square, gamma = 2.0 / mean_square;
    Mat X = Mat::Zero(atoms.cols(), Y.cols());
    std::vector<double> noise;  // of every sweep since gamma stopped rising
    for (std::uint32_t sweep = 0; std::ssize(noise) < options.settle_sweeps + options.kept_sweeps; ++sweep) {
        const OnOffState state{atoms, Vec::Constant(atoms.cols(), p), 1.0 / v, gamma};
        const OnOffNumbers draw{seed, sweep, 0, Purpose::reestimation_support, Purpose::reestimation_value, 13};
        for (Eigen::Index l = 0; l < Y.cols(); ++l) {
            Vec x = X.col(l);
            plain_on_off_sweep(state, draw, static_cast<std::size_t>(l), Y.col(l), x);
            X.col(l) = x;
        }
        const auto on = static_cast<double>((X.array() != 0.0).count());
        p = (1.0 + on) / (2.0 + N * static_cast<double>(Y.cols()));  // the mean of Beta(1 + on, 1 + off)
        v = X.squaredNorm() / on;
        DrawStream stream(seed, {Purpose::reestimation_value, sweep, 0, ~std::uint64_t{0} >> 16});
        const double drawn = stream.gamma(0.5 * values) / (0.5 * (Y - atoms * X).squaredNorm());
        const bool rising = noise.empty() && drawn > gamma * (1.0 + options.growth);
        gamma = rising ? gamma * (1.0 + options.growth) : drawn;
        if (!rising) noise.push_back(1.0 / std::sqrt(gamma));
    }
    const Eigen::Map<const Vec> kept(noise.data() + options.settle_sweeps, options.kept_sweeps);
    // The noise keeps what the codes leave of the values: each entry that is on takes one degree of freedom.
    const double freedom = all_signals * (static_cast<double>(Y.rows()) - p * N);
    return {.noise_sd = kept.mean(),
            .spread = std::sqrt((kept.array() - kept.mean()).square().mean()),
            .freedom = freedom,
            .share_used = static_cast<double>(Y.cols()) / all_signals,
            .share_on = p};
}

TEST(NoiseReestimation, IsThePlainSampler) {
    const SynthSet set = synthesize(
        {.dim = 6, .atoms = 9, .signals = 150, .sparsity_min = 2, .sparsity_max = 2, .snr_db = 15.0, .seed = 5});
    const ComputeScope scope;
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, 2.0, 9, 1);
    const ReestimationOptions options{.most_signals = 50, .settle_sweeps = 5, .kept_sweeps = 8};
    const Mat atoms = as_columns(set.dictionary);
    const Mat lengths = Vec::LinSpaced(9, 0.5, 3.0).asDiagonal();  // which must not matter
    const NoiseEstimate got = reestimate_noise(pass, atoms * lengths, 3, 0, options);
    const NoiseEstimate want = plain_reestimation(pass.spread_signals(50), atoms, 150.0, 3, options);
    EXPECT_NEAR(got.noise_sd / want.noise_sd, 1.0, 1e-9);
    EXPECT_NEAR(got.spread / want.spread, 1.0, 1e-9);
    EXPECT_NEAR(got.freedom / want.freedom, 1.0, 1e-12);
    EXPECT_EQ(got.share_used, 50.0 / 150.0);
    EXPECT_NEAR(got.share_on / want.share_on, 1.0, 1e-12);
    EXPECT_GT(want.share_on, 0.1) << "codes that take some of the degrees of freedom";
}

// The paper's size. The estimate is within 5 % of the truth.
TEST(NoiseReestimation, FindsTheNoiseWithTheTrueDictionary) {
    for (const double snr_db : {10.0, 20.0, 30.0}) {
        SCOPED_TRACE(snr_db);
        const SynthSet set = synthesize({.snr_db = snr_db, .seed = 5});
        const NoiseEstimate estimate = with_true_dictionary(set, 1.0, 1);
        EXPECT_NEAR(estimate.noise_sd / set.noise_sd, 1.0, 0.05);
        EXPECT_NEAR(estimate.share_on, 3.0 / 50.0, 0.02);
    }
}

TEST(NoiseReestimation, DoesNotDependOnThreads) {
    const SynthSet set = synthesize({.signals = 300, .seed = 6});
    const NoiseEstimate one = with_true_dictionary(set, 1.0, 1);
    for (const int threads : {2, 3}) {
        const NoiseEstimate several = with_true_dictionary(set, 1.0, threads);
        EXPECT_EQ(one.noise_sd, several.noise_sd);
        EXPECT_EQ(one.freedom, several.freedom);
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
        EXPECT_TRUE(std::isfinite(estimate.noise_sd) && std::isfinite(estimate.freedom) &&
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
