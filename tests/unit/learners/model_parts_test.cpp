// The noise that a model reports after re-estimation, and its standard deviation (docs/math.md, N1).
#include "learners/model_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/compute_scope.hpp"
#include "pass/noise_reestimation.hpp"
#include "support/easy_set.hpp"
#include "support/pass_over.hpp"

namespace sbdl::test {
namespace {

constexpr double unit = 3.0;

struct Reestimated {
    NoiseEstimate estimate;  // with the dictionary taken as exact
    Model model;
};

/// A model whose atoms are all in use, except for those after the first `used`.
Model model_of(const SynthSet& set, std::size_t used) {
    Model model;
    model.dictionary = set.dictionary;
    model.signal_count = set.signals.rows();
    model.atom_usage.assign(12, 0.0);
    std::fill_n(model.atom_usage.begin(), used, 1.0);
    return model;
}

/// The noise of a set of signals of length 10, with a dictionary of 12 atoms that is the mean of so many draws.
Reestimated reestimated(std::size_t used, std::size_t signals, double draws) {
    const ComputeScope scope;
    const SynthSet set = easy_set(signals);
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    const Mat D = as_columns(set.dictionary);
    Reestimated done{reestimate_noise(pass, D, 7, 0), model_of(set, used)};
    set_reestimated_noise(pass, D, draws, 7, 0, done.model);
    return done;
}

TEST(ReestimatedNoise, LosesADegreeOfFreedomForEachFittedNumberOfAnAtom) {
    constexpr double all = std::numeric_limits<double>::infinity();
    struct Case {
        std::size_t used;
        double draws, share;
    };
    for (const auto& [used, draws, share] :
         {Case{12, all, 1.0}, Case{9, all, 1.0}, Case{12, 4.0, 0.75}, Case{12, 1.0, 0.0}}) {
        const auto [estimate, model] = reestimated(used, 300, draws);
        EXPECT_NEAR(estimate.freedom, 300.0 * (10.0 - 12.0 * estimate.share_on), 1e-6);
        // Nine for each atom, which has unit norm.
        const double left = estimate.freedom - share * 9.0 * static_cast<double>(used);
        EXPECT_NEAR(model.noise_sd / (unit * estimate.noise_sd * std::sqrt(estimate.freedom / left)), 1.0, 1e-12);
        EXPECT_NEAR(model.noise_sd_std / (model.noise_sd / std::sqrt(2.0 * left)), 1.0, 1e-12);
    }
}

TEST(ReestimatedNoise, OfFewSignalsKeepsHalfOfItsDegreesOfFreedom) {
    const auto [estimate, model] = reestimated(12, 16, 100.0);
    ASSERT_LT(estimate.freedom, 2.0 * 9.0 * 12.0 * 0.99);
    EXPECT_NEAR(model.noise_sd / (unit * estimate.noise_sd), std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(model.noise_sd_std / model.noise_sd, 1.0 / std::sqrt(estimate.freedom), 1e-12);
}

// Rate of false alarms, for untried seeds: each estimate must be within four of its standard deviations, six times;
// below 1e-3. (With few signals for the number of atoms, so that what they take shows: 6 to 8 standard deviations.)
TEST(ReestimatedNoise, IsThatOfTheTruthWithALearnedDictionary) {
    for (const std::uint64_t seed : {1u, 2u, 3u})
        for (const bool average : {true, false}) {
            const SynthSet set = synthesize({.dim = 10,
                                             .atoms = 20,
                                             .signals = 500,
                                             .sparsity_min = 2,
                                             .sparsity_max = 2,
                                             .snr_db = 20.0,
                                             .seed = seed});
            GibbsOptions options = GibbsOptions::preset(Preset::standard, 20);
            options.prior = CodePrior::student_t;
            options.burn_in = 300;
            options.draws = options.most_draws = 100;
            options.average = average;
            const Model model = train(MemorySource{set.signals}, options, {.seed = seed}).model;
            EXPECT_NEAR(model.noise_sd, set.noise_sd, 4.0 * model.noise_sd_std) << seed << ", average " << average;
            EXPECT_LT(model.noise_sd_std, 0.012 * model.noise_sd);
        }
}

// Only 2000 signals are used, however many there are.
TEST(ReestimatedNoise, IsAsSureAsTheSignalsThatWereUsed) {
    const ComputeScope scope;
    const SynthSet set = easy_set(4000);
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    const Mat D = as_columns(set.dictionary);
    const NoiseEstimate estimate = reestimate_noise(pass, D, 7, 0);
    Model model = model_of(set, 0);
    set_reestimated_noise(pass, D, 1.0, 7, 0, model);
    EXPECT_EQ(estimate.share_used, 0.5);
    EXPECT_NEAR(model.noise_sd_std / (model.noise_sd / std::sqrt(estimate.freedom)), 1.0, 1e-12);
}

TEST(ReestimatedNoise, OfSilenceIsZero) {
    const ComputeScope scope;
    const Matrix silence(20, 10);
    const MemorySource source{silence};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    Model model;
    set_reestimated_noise(pass, as_columns(easy_set().dictionary), 1.0, 7, 0, model);
    EXPECT_EQ(model.noise_sd, 0.0);
    EXPECT_EQ(model.noise_sd_std, 0.0);
}

}  // namespace
}  // namespace sbdl::test
