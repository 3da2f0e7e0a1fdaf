// Noise-free signals in the intervals of draws, and of the moments of vb.
#include "experiments/calibration/reconstruction.hpp"

#include <cmath>
#include <random>

#include "unit/experiments/calibration/case.hpp"

namespace sbdl::test {
namespace {

using calibration::interval_of_draws;
using calibration::reconstruction_coverage;
using calibration::ReconstructionDraws;
using calibration::watched_signals;

TEST(Reconstruction, AFewSignalsAreWatchedEvenlySpread) {
    EXPECT_EQ(watched_signals(3), (std::vector<std::size_t>{0, 1, 2}));
    const std::vector<std::size_t> many = watched_signals(1000);
    ASSERT_EQ(many.size(), 50U);
    EXPECT_EQ(many[0], 0U);
    EXPECT_EQ(many[1], 20U);
    EXPECT_EQ(many[49], 980U);
    EXPECT_TRUE(watched_signals(0).empty());
}

TEST(Reconstruction, TheIntervalOfDrawsIsBetweenTwoOfThem) {
    std::vector<double> draws;
    for (int i = 1; i <= 99; ++i) draws.push_back(i);  // the k-th smallest is k, and has k of 100 below it
    EXPECT_NEAR(interval_of_draws(draws, 0.50).low, 25.0, 1e-12);
    EXPECT_NEAR(interval_of_draws(draws, 0.50).high, 75.0, 1e-12);
    EXPECT_NEAR(interval_of_draws(draws, 0.90).low, 5.0, 1e-12);
    EXPECT_NEAR(interval_of_draws(draws, 0.95).high, 97.5, 1e-12);
    EXPECT_EQ(interval_of_draws({2.0, 3.0}, 0.95).low, 2.0) << "nothing is known beyond the draws";
    EXPECT_EQ(interval_of_draws({2.0, 3.0}, 0.95).high, 3.0);
    EXPECT_TRUE(interval_of_draws({2.0}, 0.5).contains(2.0));
}

// One signal with two entries: 3 times the atom (0.6, 0.8).
SynthSet one_signal() {
    SynthSet truth;
    truth.dictionary = Matrix(1, 2);
    truth.dictionary(0, 0) = 0.6;
    truth.dictionary(0, 1) = 0.8;
    truth.codes = Matrix(1, 1, 3.0);
    truth.noise_sd = 0.1;
    return truth;
}

RunPlan plan_of(std::size_t signals) {
    RunPlan plan;
    plan.signal_count = signals;
    return plan;
}

SweepReport sweep_with(Phase phase, double first, double second) {
    SweepReport report{.phase = phase, .dictionary = {}};
    report.reconstruct = [=](std::span<const std::size_t> signals) {
        EXPECT_EQ(signals.size(), 1U);
        Matrix made(1, 2);
        made(0, 0) = first;
        made(0, 1) = second;
        return made;
    };
    return report;
}

TEST(Reconstruction, TheTruthIsComparedWithTheKeptDrawsOfItsEntry) {
    ReconstructionDraws draws;
    draws.on_start(plan_of(1));
    draws.on_sweep(sweep_with(Phase::burn_in, 100.0, 100.0));
    EXPECT_TRUE(draws.empty());
    // The first entry, 1.8, is in the middle of its draws. The second, 2.4, is below the first 6 of 99: in the 90 %
    // interval, which begins at the fifth, and not in the one of 80 %.
    for (int k = 1; k <= 99; ++k)
        draws.on_sweep(sweep_with(Phase::kept, 1.8 + 0.01 * (k - 50), 2.4 + 0.01 * (k - 6.5)));
    const Coverage found = draws.coverage(one_signal());
    EXPECT_EQ(found.values, 2);
    EXPECT_EQ(found.percent, (std::array<double, 4>{50, 50, 100, 100}));
}

TEST(Reconstruction, ARunThatDrawsNoCodesLeavesNothing) {
    ReconstructionDraws draws;
    draws.on_start(plan_of(1));
    SweepReport report{.phase = Phase::kept, .dictionary = {}};
    report.reconstruct = [](std::span<const std::size_t>) { return Matrix(); };
    draws.on_sweep(report);
    EXPECT_TRUE(draws.empty());
    EXPECT_EQ(draws.coverage(one_signal()).values, 0);
}

// Atom (0.6, 0.8) +- (0.06, 0.08) and code 3 +- 0.2: the mean atom has the length 0.995, and the first entry the mean
// 1.7910 and the variance 0.0036 (9 + 0.04) + 0.995^2 0.36 0.04, its square root 0.216277. For the second, 2.3880 and
// 0.288370.
TEST(Reconstruction, TheVarianceOfVbIsThatOfAProduct) {
    SynthSet truth = one_signal();
    Model model;
    model.dictionary = truth.dictionary;
    model.dictionary_std = Matrix(1, 2);
    model.dictionary_std(0, 0) = 0.06;
    model.dictionary_std(0, 1) = 0.08;
    model.codes = Matrix(1, 1, 3.0);
    model.codes_std = Matrix(1, 1, 0.2);
    const auto inside = [&](double first, double second) {
        const double length = std::hypot(first, second);
        truth.dictionary(0, 0) = first / length;
        truth.dictionary(0, 1) = second / length;
        truth.codes(0, 0) = length;
        return reconstruction_coverage(truth, model).percent;
    };
    const double mean = 3.0 * 0.6 * std::sqrt(0.99), sd = std::sqrt(0.0036 * 9.04 + 0.99 * 0.36 * 0.04);
    const double other = 3.0 * 0.8 * std::sqrt(0.99);
    EXPECT_NEAR(sd, 0.2163, 1e-4);
    for (const double sign : {-1.0, 1.0}) {
        EXPECT_EQ(inside(mean + sign * 1.95 * sd, other), (std::array<double, 4>{50, 50, 50, 100}));
        EXPECT_EQ(inside(mean + sign * 1.97 * sd, other), (std::array<double, 4>{50, 50, 50, 50}));
        EXPECT_EQ(inside(mean + sign * 0.67 * sd, other), (std::array<double, 4>{100, 100, 100, 100}));
        EXPECT_EQ(inside(mean + sign * 0.68 * sd, other), (std::array<double, 4>{50, 100, 100, 100}));
    }
}

// Truths and draws from one distribution. 1000 values; each comparison allows 4.5 standard errors: false alarms in less
// than 1 of 10000 seeds, if the numbers were not fixed by one.
TEST(Reconstruction, ARightPosteriorCoversAsItShouldWithFewDraws) {
    std::mt19937_64 random(23);
    std::normal_distribution<double> normal;
    SynthSet truth;
    truth.dictionary = Matrix(20, 20);
    for (std::size_t i = 0; i < 20; ++i) truth.dictionary(i, i) = 1.0;
    truth.codes = Matrix(50, 20);
    for (std::size_t i = 0; i < truth.codes.size(); ++i) truth.codes.data()[i] = normal(random);
    ReconstructionDraws draws;
    draws.on_start(plan_of(50));
    for (int draw = 0; draw < 39; ++draw) {
        SweepReport report{.phase = Phase::kept, .dictionary = {}};
        report.reconstruct = [&](std::span<const std::size_t> signals) {
            Matrix made(signals.size(), 20);
            for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = normal(random);
            return made;
        };
        draws.on_sweep(report);
    }
    const Coverage found = draws.coverage(truth);
    ASSERT_EQ(found.values, 1000);
    for (std::size_t i = 0; i < 4; ++i) {
        const double level = Coverage::levels[i];
        EXPECT_NEAR(found.percent[i], level, 4.5 * std::sqrt(level * (100.0 - level) / 1000.0)) << level;
    }
}

}  // namespace
}  // namespace sbdl::test
