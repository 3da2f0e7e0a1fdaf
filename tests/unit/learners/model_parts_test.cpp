// The noise that a model reports after re-estimation, and its standard deviation (docs/math.md, N1).
#include "learners/model_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

/// The noise of a set of 300 signals of length 10, and of a model with the first `atoms` of its 12 atoms.
Reestimated reestimated(Eigen::Index atoms, std::size_t signals) {
    const ComputeScope scope;
    const SynthSet set = easy_set();
    const MemorySource source{MatrixView{set.signals.data(), signals, 10}};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    Mat D = as_columns(set.dictionary);
    D.rightCols(12 - atoms).setZero();  // switched off
    Reestimated done{reestimate_noise(pass, D, 7, 0), {}};
    set_reestimated_noise(pass, D, 7, 0, done.model);
    return done;
}

TEST(ReestimatedNoise, LosesADegreeOfFreedomForEachFittedNumberOfAnAtom) {
    for (const int atoms : {12, 9}) {
        const auto [estimate, model] = reestimated(atoms, 300);
        EXPECT_NEAR(estimate.freedom, 300.0 * (10.0 - 12.0 * estimate.share_on), 1e-6);
        const double left = estimate.freedom - 9.0 * atoms;  // nine: an atom has unit norm
        EXPECT_NEAR(model.noise_sd / (unit * estimate.noise_sd * std::sqrt(estimate.freedom / left)), 1.0, 1e-12);
        EXPECT_NEAR(model.noise_sd_std / (model.noise_sd / std::sqrt(2.0 * left)), 1.0, 1e-12);
    }
}

TEST(ReestimatedNoise, OfFewSignalsKeepsHalfOfItsDegreesOfFreedom) {
    const auto [estimate, model] = reestimated(12, 16);
    ASSERT_LT(estimate.freedom, 2.0 * 9.0 * 12.0);
    EXPECT_NEAR(model.noise_sd / (unit * estimate.noise_sd), std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(model.noise_sd_std / model.noise_sd, 1.0 / std::sqrt(estimate.freedom), 1e-12);
}

// Only 2000 signals are used, however many there are.
TEST(ReestimatedNoise, IsAsSureAsTheSignalsThatWereUsed) {
    const ComputeScope scope;
    const SynthSet set = easy_set(4000);
    const MemorySource source{set.signals};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    const Mat D = as_columns(set.dictionary);
    const NoiseEstimate estimate = reestimate_noise(pass, D, 7, 0);
    Model model;
    set_reestimated_noise(pass, D, 7, 0, model);
    EXPECT_EQ(estimate.share_used, 0.5);
    EXPECT_NEAR(model.noise_sd_std / (model.noise_sd / std::sqrt(estimate.freedom - 9.0 * 12.0)), 1.0, 1e-12);
}

TEST(ReestimatedNoise, OfSilenceIsZero) {
    const ComputeScope scope;
    const Matrix silence(20, 10);
    const MemorySource source{silence};
    const ThreadPass pass = pass_over(source, unit, 12, 1);
    Model model;
    set_reestimated_noise(pass, as_columns(easy_set().dictionary), 7, 0, model);
    EXPECT_EQ(model.noise_sd, 0.0);
    EXPECT_EQ(model.noise_sd_std, 0.0);
}

}  // namespace
}  // namespace sbdl::test
