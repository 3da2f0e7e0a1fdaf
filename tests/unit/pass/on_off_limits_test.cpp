// Entries of on/off codes that are certain to stay off: the limits against the odds they bound, on every instruction
// set of this machine.
#include "pass/on_off_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/aligned.hpp"
#include "coders/atom_passes.hpp"
#include "random/stream.hpp"
#include "support/highway_target.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class SupportLimits : public testing::TestWithParam<std::int64_t> {
protected:
    HighwayTarget target_{GetParam()};
};

TEST_P(SupportLimits, AreJustBelowTheOddsOfTheSameNumbers) {
    constexpr std::size_t first = 1000, signals = 13, entries = 7, stride = 9;
    const OnOffNumbers draw{.seed = 5, .sweep = 3, .chain = 1};
    std::vector<double> log_prior, gain;
    for (std::size_t i = 0; i < entries; ++i) {
        log_prior.push_back(-3.0 + static_cast<double>(i));
        gain.push_back(0.5 + static_cast<double>(i));
    }
    std::vector<double> uniform(signals * stride, -7.0), limit(uniform);
    on_off_limits({draw, first, signals, entries, log_prior.data(), gain.data(), stride, uniform.data(), limit.data()});
    for (std::size_t l = 0; l < signals; ++l) {
        DrawStream numbers(draw.seed, {Purpose::bpfa_support, draw.sweep, draw.chain, first + l});
        for (std::size_t i = 0; i < entries; ++i) {
            const double u = numbers.uniform();
            EXPECT_EQ(uniform[l * stride + i], u);
            const double log_odds = log_prior[i] + gain[i] * limit[l * stride + i];
            EXPECT_LT(log_odds, std::log(u / (1.0 - u)));
            EXPECT_GT(log_odds, std::log(u) + u - 0.07);
        }
        EXPECT_EQ(uniform[l * stride + entries], -7.0) << "nothing is written behind the entries";
        EXPECT_EQ(limit[l * stride + entries], -7.0);
    }
}

TEST_P(SupportLimits, FirstOpenIsTheFirstBeyondItsLimit) {
    Numbers numbers(1);
    constexpr std::size_t padded = 2 * atom_padding;
    for (int trial = 0; trial < 20; ++trial) {
        AlignedDoubles c(padded), limit(padded);
        for (double& x : c) x = numbers.normal();
        for (double& x : limit) x = 3.0 + numbers.normal();
        limit[40] = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t from = 0; from <= padded; ++from) {
            std::size_t want = from;
            while (want < padded && c[want] * c[want] <= limit[want]) ++want;
            ASSERT_EQ(first_open(c.data(), limit.data(), from, padded), want);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, SupportLimits, testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace sbdl::test
