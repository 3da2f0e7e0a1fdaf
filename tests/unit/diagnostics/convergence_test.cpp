// Tolerances: the effective sample size of a chain is itself an estimate. For the lengths used here its relative
// standard deviation, measured over 200 seeds, is below 5 %, so a correct implementation is well within 20 % and a
// wrong one (a missing factor of two, shifted lags) is not. Everything else is exact: values by hand, and a second
// implementation below that follows the definitions term by term.
#include "diagnostics/convergence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "random/stream.hpp"

namespace sbdl {
namespace {

using Chains = std::vector<std::vector<double>>;

// Stationary from the first draw: x_i = r x_{i-1} + sqrt(1 - r^2) e_i.
std::vector<double> autoregressive(double r, std::size_t draws, std::uint32_t chain, double mean = 0.0) {
    DrawStream stream(/*seed=*/5, {.purpose = Purpose::test, .chain = chain});
    std::vector<double> x(draws);
    double state = stream.normal();
    for (double& value : x) {
        value = mean + state;
        state = r * state + std::sqrt(1.0 - r * r) * stream.normal();
    }
    return x;
}

Chains four_chains(double r, std::size_t draws) {
    Chains chains;
    for (std::uint32_t c = 0; c < 4; ++c) chains.push_back(autoregressive(r, draws, c));
    return chains;
}

std::vector<double> times(double factor, std::vector<double> chain) {
    for (double& value : chain) value *= factor;
    return chain;
}

// The definitions of convergence.cpp, each by the slowest way that is plainly right.
namespace by_definition {

double score(double p) {
    double low = -40.0, high = 40.0;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(-middle / std::numbers::sqrt2) < p ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

Chains split(const Chains& chains) {
    Chains halves;
    for (const auto& chain : chains) {
        const auto n = static_cast<std::ptrdiff_t>(chain.size() / 2);
        halves.emplace_back(chain.begin(), chain.begin() + n);
        halves.emplace_back(chain.end() - n, chain.end());
    }
    return halves;
}

Chains scores(Chains chains) {
    const Chains from = chains;
    for (auto& chain : chains)
        for (double& x : chain) {
            double below = 0.0, equal = 0.0, all = 0.0;
            for (const auto& other : from)
                for (const double y : other) {
                    below += y < x ? 1.0 : 0.0;
                    equal += y == x ? 1.0 : 0.0;
                    all += 1.0;
                }
            x = score((below + 0.5 * (equal + 1.0) - 0.375) / (all + 0.25));
        }
    return chains;
}

double sum(const std::vector<double>& x) {
    double total = 0.0;
    for (const double value : x) total += value;
    return total;
}

struct Spread {
    double within = 0.0, plus = 0.0;
};

Spread spread(const Chains& halves) {
    const auto m = static_cast<double>(halves.size()), n = static_cast<double>(halves[0].size());
    double within = 0.0, centre = 0.0, between = 0.0;
    for (const auto& half : halves) {
        centre += sum(half) / n / m;
        for (const double x : half) within += std::pow(x - sum(half) / n, 2) / (n - 1.0) / m;
    }
    for (const auto& half : halves) between += std::pow(sum(half) / n - centre, 2) / (m - 1.0);
    return {within, (n - 1.0) / n * within + between};
}

double rhat(const Chains& halves) {
    const Spread s = spread(halves);
    return std::sqrt(s.plus / s.within);
}

double ess(const Chains& halves) {
    const auto m = static_cast<double>(halves.size()), n = static_cast<double>(halves[0].size());
    const Spread s = spread(halves);
    std::vector<double> rho;
    for (std::size_t t = 0; t < halves[0].size(); ++t) {
        double covariance = 0.0;
        for (const auto& half : halves)
            for (std::size_t i = 0; i + t < half.size(); ++i)
                covariance += (half[i] - sum(half) / n) * (half[i + t] - sum(half) / n) / n / m;
        rho.push_back(t == 0 ? 1.0 : 1.0 - (s.within - covariance) / s.plus);
    }
    double tau = -1.0, least = 1e300;
    for (std::size_t t = 0; t + 1 < rho.size(); t += 2) {
        const double pair = rho[t] + rho[t + 1];
        if (t > 0 && pair <= 0.0) {
            tau += std::max(rho[t], 0.0);
            break;
        }
        least = std::min(least, pair);
        tau += 2.0 * least;
    }
    return m * n / std::max(tau, 1.0 / std::log10(m * n));
}

std::vector<double> all_of(const Chains& chains) {
    std::vector<double> all;
    for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
    std::sort(all.begin(), all.end());
    return all;
}

double quantile(const Chains& chains, double p) {
    const std::vector<double> all = all_of(chains);
    const double at = p * static_cast<double>(all.size() - 1), rest = at - std::floor(at);
    const auto i = static_cast<std::size_t>(at);
    return (1.0 - rest) * all[i] + rest * all[std::min(i + 1, all.size() - 1)];
}

Convergence measure(const Chains& chains) {
    const Chains halves = split(chains);
    Chains folded = halves, low = halves, high = halves;
    for (std::size_t j = 0; j < halves.size(); ++j)
        for (std::size_t i = 0; i < halves[j].size(); ++i) {
            folded[j][i] = std::abs(halves[j][i] - quantile(halves, 0.5));
            low[j][i] = halves[j][i] <= quantile(halves, 0.05) ? 1.0 : 0.0;
            high[j][i] = halves[j][i] <= quantile(halves, 0.95) ? 1.0 : 0.0;
        }
    return {.rhat = std::max(rhat(scores(halves)), rhat(scores(folded))),
            .ess = ess(scores(halves)),
            .ess_tail = std::min(ess(low), ess(high))};
}

}  // namespace by_definition

void expect_near(const Convergence& got, const Convergence& want, double relative) {
    EXPECT_NEAR(got.rhat, want.rhat, relative * want.rhat);
    EXPECT_NEAR(got.ess, want.ess, relative * want.ess);
    EXPECT_NEAR(got.ess_tail, want.ess_tail, relative * want.ess_tail);
}

TEST(Convergence, AgreesWithItsDefinition) {
    for (const double r : {0.0, 0.7, -0.6})
        for (const std::size_t draws : {12U, 31U, 60U})
            for (const std::size_t count : {1U, 3U}) {
                Chains chains = four_chains(r, draws);
                chains.resize(count);
                chains[0] = times(1.5, chains[0]);  // so that the spread decides R-hat as well
                if (draws > 12)
                    for (double& value : chains[0]) value = std::round(2.0 * value);  // ties
                SCOPED_TRACE(::testing::Message() << "r = " << r << ", " << count << " x " << draws);
                expect_near(measure_convergence(chains), by_definition::measure(chains), 1e-9);
            }
}

// By hand. Two values have two scores, so the scores are the values on another scale, which changes nothing. The halves
// are 1010100001 and 0000010111: both have mean 2/5, so B = 0, W = 4/15 and var+ = 6/25. The products of deviations at
// lags 1, 2 and 3 sum to -0.96 + 0.64, 0.88 + 0.88 and -0.88 + 0.12, so acov is -0.016, 0.088 and -0.038, and rho is
// -8/45, 23/90 and -97/360. The pair rho_2 + rho_3 is negative, so the sum ends there, with the even half of that pair:
// tau = -1 + 2 (1 - 8/45) + 23/90 = 9/10.
TEST(Convergence, AnAntitheticChainKeepsItsLastEvenTerm) {
    const Chains chain = {{1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1}};
    EXPECT_NEAR(measure_convergence(chain).ess, 200.0 / 9.0, 1e-9);
    EXPECT_NEAR(measure_convergence(chain).rhat, std::sqrt(0.9), 1e-12) << "sqrt(var+ / W)";
}

// By hand: halves {1, 2}, {3, 5} have the scores -b, -a and a, b with Phi(a) = 2.625/4.25, Phi(b) = 3.625/4.25. W = (b
// - a)^2 / 2; means -+(a + b)/2, B/n = (a + b)^2 / 2. The distances from the median 2.5 are 1.5, 0.5, 0.5, 2.5: scores
// a, -c, -c, b with c for the shared rank 1.5.
TEST(Convergence, FourDrawsByHand) {
    const double a = by_definition::score(2.625 / 4.25), b = by_definition::score(3.625 / 4.25);
    const double W = (b - a) * (b - a) / 2.0, B = (a + b) * (a + b) / 2.0;
    EXPECT_NEAR(measure_convergence({{1, 2, 3, 5}}).rhat, std::sqrt((W / 2.0 + B) / W), 1e-9);
    // acov(1) is -(b - a)^2 / 8 in both halves.
    const double rho_1 = 1.0 - (W + (b - a) * (b - a) / 8.0) / (W / 2.0 + B);
    EXPECT_NEAR(measure_convergence({{1, 2, 3, 5}}).ess, 4.0 / (-1.0 + 2.0 * (1.0 + rho_1)), 1e-9);
}

TEST(Convergence, IndependentDrawsCountFully) {
    const Convergence found = measure_convergence(four_chains(0.0, 1000));
    EXPECT_NEAR(found.ess / 4000.0, 1.0, 0.2);
    EXPECT_NEAR(found.ess_tail / 4000.0, 1.0, 0.2);
    EXPECT_NEAR(found.rhat, 1.0, 0.01);
}

TEST(Convergence, AutoregressiveChainsHaveTheirKnownSampleSize) {
    const std::size_t draws = 20000;
    for (const double r : {0.3, 0.5, 0.8, 0.9, -0.3}) {
        const double expected = 4.0 * static_cast<double>(draws) * (1.0 - r) / (1.0 + r);
        EXPECT_NEAR(measure_convergence(four_chains(r, draws)).ess / expected, 1.0, 0.2) << "r = " << r;
    }
}

TEST(Convergence, OneChainIsEnough) {
    const Convergence found = measure_convergence({autoregressive(0.5, 20000, 9)});
    EXPECT_NEAR(found.ess / (20000.0 / 3.0), 1.0, 0.2);
    EXPECT_NEAR(found.rhat, 1.0, 0.01);
}

TEST(Convergence, ChainsInDifferentPlacesAreNoticed) {
    const Convergence apart =
        measure_convergence({autoregressive(0.0, 500, 0, -1.0), autoregressive(0.0, 500, 1, 1.0)});
    EXPECT_GT(apart.rhat, 1.1);
    EXPECT_LT(apart.ess, 20.0);
}

TEST(Convergence, DriftWithinOneChainIsNoticed) {
    std::vector<double> drifting = autoregressive(0.0, 500, 0);
    for (std::size_t i = 0; i < drifting.size(); ++i) drifting[i] += 0.01 * static_cast<double>(i);
    EXPECT_GT(measure_convergence({drifting}).rhat, 1.1);
}

// The means agree, so R-hat of the values is near 1 and their sample size is large; the distances from the median and
// the tails show that one chain is three times as wide.
TEST(Convergence, ChainsOfDifferentSpreadAreNoticed) {
    const Chains same = {autoregressive(0.0, 500, 0), autoregressive(0.0, 500, 1)};
    const Chains differ = {same[0], times(3.0, same[1])};
    EXPECT_LT(by_definition::rhat(by_definition::scores(by_definition::split(differ))), 1.01);
    EXPECT_GT(measure_convergence(differ).rhat, 1.1);
    EXPECT_GT(measure_convergence(differ).ess, 500.0);
    EXPECT_LT(measure_convergence(differ).ess_tail, 0.5 * measure_convergence(same).ess_tail);
}

// A Cauchy chain has no variance; ranks do not mind.
TEST(Convergence, HeavyTailsDoNotHideDifferentPlaces) {
    Chains chains;
    for (std::uint32_t c = 0; c < 4; ++c) {
        std::vector<double> chain = autoregressive(0.0, 1000, c);
        for (double& x : chain)
            x = std::tan(std::numbers::pi * (0.5 * std::erfc(-x / std::numbers::sqrt2) - 0.5)) + (c == 0 ? 4.0 : 0.0);
        chains.push_back(chain);
    }
    EXPECT_LT(by_definition::rhat(by_definition::split(chains)), 1.01) << "without ranks it is hidden";
    EXPECT_GT(measure_convergence(chains).rhat, 1.1);
}

TEST(Convergence, OddLengthsLeaveTheMiddleDrawOut) {
    expect_near(measure_convergence({{1, 2, 77, 3, 5}}), measure_convergence({{1, 2, 3, 5}}), 0.0);
}

TEST(Convergence, OnlyTheOrderMatters) {
    Chains chains = four_chains(0.5, 500);
    const Convergence before = measure_convergence(chains);
    for (auto& chain : chains)
        for (double& value : chain) value = std::exp(value);
    EXPECT_EQ(measure_convergence(chains).ess, before.ess);
    for (auto& chain : chains)
        for (double& value : chain) value = 1e6 * std::log(value) - 3e6;
    expect_near(measure_convergence(chains), before, 1e-9);
}

TEST(Convergence, NothingToMeasureIsNaN) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Chains> cases = {
        {}, {{}}, {{1, 2, 3}}, {{1, 2, 3, 4}, {1, 2, 3}}, {std::vector<double>(100, 0.1)}, {{1, 2, nan, 4, 5}}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Convergence found = measure_convergence(cases[i]);
        for (const double value : {found.rhat, found.ess, found.ess_tail})
            EXPECT_TRUE(std::isnan(value)) << "case " << i;
    }
}

TEST(Convergence, ChainsStuckInDifferentPlacesNeverMixed) {
    const Chains stuck = {std::vector<double>(100, 0.1), std::vector<double>(100, 0.3)};
    EXPECT_EQ(measure_convergence(stuck).rhat, std::numeric_limits<double>::infinity());
    EXPECT_LT(measure_convergence(stuck).ess, 10.0);
}

}  // namespace
}  // namespace sbdl
