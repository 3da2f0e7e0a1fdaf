// The generator across vector lanes against DrawStream: words bit for bit, normals and exponentials to a few units in
// the last place, on every instruction set of this machine.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/lane_generator_test.cpp"  // NOLINT: Highway compiles this file once per target
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "random/lane_stream-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// Block `index` of as many signals as there are lanes: words, normals and exponentials, two of each per signal, first
/// the first ones of all signals and then the second ones. Returns the number of lanes.
std::size_t lane_block(std::uint64_t seed, const DrawId& id, std::uint32_t index, std::uint64_t* words, double* normals,
                       double* exponentials) {
    const F f;
    const U u;
    const std::size_t w = hn::Lanes(f);
    const LanePhilox philox(seed, id.purpose, id.sweep, id.chain, id.signal);
    VU first, second;
    philox.words(index, first, second);
    hn::StoreU(first, u, words);
    hn::StoreU(second, u, words + w);
    VF even, odd;
    lane_normals(first, second, even, odd);
    hn::StoreU(even, f, normals);
    hn::StoreU(odd, f, normals + w);
    hn::StoreU(lane_exponential(first), f, exponentials);
    hn::StoreU(lane_exponential(second), f, exponentials + w);
    return w;
}

/// cos and sin of a turn for one t in all lanes.
void one_turn(double t, double& cosine, double& sine) {
    const F f;
    VF c, s;
    lane_turn(hn::Set(f, t), c, s);
    cosine = hn::GetLane(c);
    sine = hn::GetLane(s);
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "random/stream.hpp"
#include "support/highway_target.hpp"
#include "support/rounding.hpp"

namespace sbdl {

HWY_EXPORT(lane_block);
HWY_EXPORT(one_turn);

namespace test {
namespace {

class LaneGenerator : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(LaneGenerator, MakesTheNumbersOfDrawStream) {
    const HighwayTarget target(GetParam());
    constexpr std::uint64_t seed = 0xfedcba9876543210u;
    constexpr std::size_t most_lanes = 64;  // more than any vector register has
    std::vector<std::uint64_t> words(2 * most_lanes);
    std::vector<double> normals(2 * most_lanes), exponentials(2 * most_lanes);
    // Signals beyond 32 bits, across a change of the upper half, and the largest sweep and chain.
    for (const DrawId& id : {DrawId{Purpose::code, 0, 0, 0}, DrawId{Purpose::code, 0xffffff, 0xffff, 1000},
                             DrawId{Purpose::code_precision, 5, 2, 0xfffffffe}})
        for (std::uint32_t index = 0; index < 2000; ++index) {
            const std::size_t w =
                HWY_DYNAMIC_DISPATCH(lane_block)(seed, id, index, words.data(), normals.data(), exponentials.data());
            for (std::size_t lane = 0; lane < w; ++lane) {
                DrawId mine = id;
                mine.signal += lane;
                const auto expected = random_words(seed, mine, index);
                ASSERT_EQ(words[lane], expected[0]);
                ASSERT_EQ(words[w + lane], expected[1]);
                DrawStream as_normals(seed, mine, index), as_exponentials(seed, mine, index);
                const double even = as_normals.normal(), odd = as_normals.normal();
                // The angle of DrawStream is rounded before its sine is computed: a unit of 2 pi, times the radius.
                const double allowed = 16 * epsilon * std::hypot(even, odd);
                ASSERT_NEAR(normals[lane], even, allowed);
                ASSERT_NEAR(normals[w + lane], odd, allowed);
                const double first = as_exponentials.exponential(), second = as_exponentials.exponential();
                ASSERT_NEAR(exponentials[lane], first, 8 * epsilon * first);
                ASSERT_NEAR(exponentials[w + lane], second, 8 * epsilon * second);
            }
        }
}

TEST_P(LaneGenerator, SinesAndCosinesAreRightForAllAngles) {
    const HighwayTarget target(GetParam());
    constexpr int steps = 8000;
    for (int i = 0; i <= steps; ++i)
        for (const double off : {-1e-12, 0.0, 1e-12}) {
            const double t = std::clamp(static_cast<double>(i) / steps + off, 0x1.0p-53, 1.0 - 0x1.0p-53);
            double cosine = 0.0, sine = 0.0;
            HWY_DYNAMIC_DISPATCH(one_turn)(t, cosine, sine);
            const long double angle = 2.0L * std::numbers::pi_v<long double> * static_cast<long double>(t);
            ASSERT_NEAR(cosine, static_cast<double>(std::cos(angle)), 2 * epsilon) << t;
            ASSERT_NEAR(sine, static_cast<double>(std::sin(angle)), 2 * epsilon) << t;
        }
}

INSTANTIATE_TEST_SUITE_P(Targets, LaneGenerator, ::testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace test
}  // namespace sbdl
#endif
