// The posterior of a code entry: its quantiles, intervals and moments.
#include "experiments/calibration/spike_slab.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sbdl::test {
namespace {

using calibration::Interval;
using calibration::spike_slab;
using calibration::SpikeSlab;

TEST(SpikeSlab, WithoutASpikeItIsTheGaussian) {
    EXPECT_NEAR(calibration::gaussian_half_width(0.50), 0.67448975019608171, 1e-12);
    EXPECT_NEAR(calibration::gaussian_half_width(0.80), 1.2815515655446004, 1e-12);
    EXPECT_NEAR(calibration::gaussian_half_width(0.90), 1.6448536269514722, 1e-12);
    EXPECT_NEAR(calibration::gaussian_half_width(0.95), 1.9599639845400545, 1e-12);
    const Interval interval = SpikeSlab{1.0, -3.0, 0.5}.interval(0.95);
    EXPECT_NEAR(interval.low, -3.0 - 0.5 * 1.9599639845400545, 1e-12);
    EXPECT_NEAR(interval.high, -3.0 + 0.5 * 1.9599639845400545, 1e-12);
}

TEST(SpikeSlab, QuantilesJumpToTheSpikeAndOverIt) {
    const SpikeSlab above{0.6, 2.0, 0.5};  // the spike takes the shares from 0 (almost) to 0.4
    EXPECT_EQ(above.quantile(0.25), 0.0);
    EXPECT_EQ(above.quantile(0.39), 0.0);
    EXPECT_NEAR(above.quantile(0.75), 2.105214, 1e-6);  // the 0.35 / 0.6 quantile of the slab
    const SpikeSlab below{0.6, -2.0, 0.5};              // from 0.6 to 1
    EXPECT_NEAR(below.quantile(0.5), -1.516289, 1e-6);  // the 0.5 / 0.6 quantile of the slab
    EXPECT_EQ(below.quantile(0.61), 0.0);
    EXPECT_EQ(below.quantile(0.99), 0.0);
}

TEST(SpikeSlab, QuantilesInvertTheDistribution) {
    for (const SpikeSlab law : {SpikeSlab{0.55, 0.3, 1.0}, SpikeSlab{0.9, -1e-7, 1e-6}, SpikeSlab{1.0, 1e3, 1e-3}})
        for (const double share : {0.01, 0.025, 0.25, 0.5, 0.75, 0.9, 0.975, 0.999}) {
            const double value = law.quantile(share);
            // At least the share lies at or below it, and no more than the share strictly below.
            EXPECT_GE(law.at_most(value), share - 1e-9) << share;
            EXPECT_LE(law.below(value), share + 1e-9) << share;
        }
}

TEST(SpikeSlab, IntervalsHoldTheirShareAndMoreWhereTheyEndAtTheSpike) {
    const SpikeSlab far{0.95, 5.0, 0.1};  // at 90 %, both ends are in the slab; at 95 %, the spike is the lower end
    EXPECT_NEAR(far.mass(far.interval(0.80)), 0.80, 1e-9);
    EXPECT_FALSE(far.interval(0.80).contains(0.0));
    EXPECT_EQ(far.interval(0.95).low, 0.0);
    EXPECT_TRUE(far.interval(0.95).contains(0.0));
    EXPECT_NEAR(far.mass(far.interval(0.95)), 0.975, 1e-9);
}

TEST(SpikeSlab, MomentsOfDrawsGiveTheMomentsOfThoseThatAreNotZero) {
    const std::vector<double> draws{0.0, 0.0, 1.0, 2.0, 3.0};
    double mean = 0.0, squares = 0.0;
    for (const double draw : draws) mean += draw / 5.0;
    for (const double draw : draws) squares += (draw - mean) * (draw - mean);
    const SpikeSlab law = spike_slab(mean, std::sqrt(squares / 4.0), 0.6, 5);
    EXPECT_EQ(law.probability, 0.6);
    EXPECT_NEAR(law.mean, 2.0, 1e-12);
    EXPECT_NEAR(law.sd, std::sqrt(2.0 / 3.0), 1e-12);
}

TEST(SpikeSlab, ExactMomentsComeBack) {
    // p = 0.7, m = -2, v = 0.04: E x = -1.4, Var x = 0.7 (4 + 0.04) - 1.96.
    const SpikeSlab law = spike_slab(-1.4, std::sqrt(0.7 * 4.04 - 1.96), 0.7, 0);
    EXPECT_NEAR(law.mean, -2.0, 1e-12);
    EXPECT_NEAR(law.sd, 0.2, 1e-12);
    EXPECT_EQ(spike_slab(1.0, 1e-9, 1.0, 0).sd, 1e-9) << "nothing cancels without a spike";
}

TEST(SpikeSlab, ASlabThatRoundingLeavesWithoutVarianceIsNarrow) {
    const SpikeSlab law = spike_slab(1.0, 0.5, 0.5, 0);  // the spike explains more than the whole variance
    EXPECT_EQ(law.mean, 2.0);
    EXPECT_GT(law.sd, 0.0);
    EXPECT_LT(law.sd, 1e-5);
    EXPECT_NEAR(law.quantile(0.75), 2.0, 1e-5);
    EXPECT_TRUE(spike_slab(0.25, 0.0, 1.0, 0).interval(0.5).contains(0.25));
}

}  // namespace
}  // namespace sbdl::test
