// Burn-in of the on/off stage where codes get stuck most easily: with hardly any noise.
#include "learners/gibbs/on_off_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/compute_scope.hpp"
#include "sbdl/synth.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class QuietSignals : public ::testing::Test {
protected:
    static constexpr std::size_t signals = 400;
    static constexpr int burn_in = 200;

    QuietSignals() {
        SynthOptions options;
        options.signals = signals;
        options.snr_db = 100.0;
        options.sparsity_min = options.sparsity_max = 5;
        options.seed = 21;
        set_ = synthesize(options);
        truth_ = as_columns(set_.dictionary);
    }

    /// The state after burn-in from these atoms.
    OnOffState state_from(const Mat& atoms) {
        const MemorySource source{set_.signals};
        ThreadPass pass = pass_over(source, 1.0, set_.dictionary.rows(), 1);
        OnOffStage stage(pass, {}, atoms, 1.0 / (set_.noise_sd * set_.noise_sd), burn_in);
        for (int sweep = 0; sweep <= burn_in; ++sweep)
            mean_nonzeros_ = stage
                                 .sweep(sweep,
                                        {.seed = 3,
                                         .sweep = static_cast<std::uint32_t>(sweep),
                                         .support = Purpose::on_off_support,
                                         .value = Purpose::on_off_value,
                                         .stride = 13},
                                        nullptr)
                                 .mean_nonzeros;
        return stage.state();
    }

    const ComputeScope scope_;
    SynthSet set_;
    Mat truth_;
    double mean_nonzeros_ = 0.0;
};

// One crowded code in four hundred would raise the mean by 0.04.
TEST_F(QuietSignals, EndBurnInWithoutCrowdedCodes) {
    const OnOffState state = state_from(truth_);
    EXPECT_NEAR(mean_nonzeros_, 5.0, 0.02);
    EXPECT_NEAR(1.0 / std::sqrt(state.noise_precision) / set_.noise_sd, 1.0, 0.05);
}

TEST_F(QuietSignals, GetAMissingAtomToTheNoisesLevel) {
    Mat atoms = truth_;
    atoms.col(7) = atoms.col(8);
    const OnOffState state = state_from(atoms);
    EXPECT_LT(1.0 - (state.D.transpose() * truth_.col(7)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(mean_nonzeros_, 5.0, 0.02);
    EXPECT_NEAR(1.0 / std::sqrt(state.noise_precision) / set_.noise_sd, 1.0, 0.05);
}

}  // namespace
}  // namespace sbdl::test
