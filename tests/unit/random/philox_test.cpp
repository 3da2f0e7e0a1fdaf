// The generator against the vectors published by its authors (Random123, tests/kat_vectors, the lines "philox4x32 10"),
// and the place of each part of a DrawId in the counter.
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "random/stream.hpp"

namespace sbdl {
namespace {

struct KnownAnswer {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
    std::array<std::uint32_t, 4> words;
};

constexpr std::uint32_t ones = 0xffffffff;
constexpr std::array known_answers = {
    KnownAnswer{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    KnownAnswer{{ones, ones, ones, ones}, {ones, ones}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    KnownAnswer{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                {0xa4093822, 0x299f31d0},
                {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, LibraryGivesThePublishedWords) {
    for (const KnownAnswer& answer : known_answers) {
        r123::Philox4x32::ctr_type counter;
        r123::Philox4x32::key_type key;
        std::copy(answer.counter.begin(), answer.counter.end(), counter.begin());
        std::copy(answer.key.begin(), answer.key.end(), key.begin());
        const auto words = r123::Philox4x32{}(counter, key);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words[i], answer.words[i]);
    }
}

// counter = { index, signal low, signal high << 16 | chain, purpose << 24 | sweep }, key = seed: taken apart like this,
// the published counters become draws.
TEST(Philox, DrawsGiveThePublishedWords) {
    for (const auto& [counter, key, words] : known_answers) {
        const DrawId id{.purpose = static_cast<Purpose>(counter[3] >> 24),
                        .sweep = counter[3] & 0xffffff,
                        .chain = counter[2] & 0xffff,
                        .signal = counter[1] | (std::uint64_t{counter[2] >> 16} << 32)};
        const auto found = random_words(key[0] | (std::uint64_t{key[1]} << 32), id, counter[0]);
        EXPECT_EQ(found[0], words[0] | (std::uint64_t{words[1]} << 32));
        EXPECT_EQ(found[1], words[2] | (std::uint64_t{words[3]} << 32));
    }
}

TEST(Philox, EveryPartOfADrawMatters) {
    const std::uint64_t seed = 42;
    const DrawId id{.purpose = Purpose::test, .sweep = 3, .chain = 1, .signal = 7};
    std::vector<DrawId> others(7, id);
    others[1].purpose = Purpose::code;
    others[2].sweep = (1u << 24) - 1;
    others[3].chain = (1u << 16) - 1;
    others[4].signal = 8;
    others[5].signal = id.signal + (std::uint64_t{1} << 32);
    others[6].signal = (std::uint64_t{1} << 48) - 1;
    std::set<std::array<std::uint64_t, 2>> seen;
    for (const DrawId& other : others) EXPECT_TRUE(seen.insert(random_words(seed, other, 0)).second);
    EXPECT_TRUE(seen.insert(random_words(seed, id, 1)).second);
    EXPECT_TRUE(seen.insert(random_words(seed + 1, id, 0)).second);
    EXPECT_TRUE(seen.insert(random_words(seed + (std::uint64_t{1} << 32), id, 0)).second);
}

TEST(Philox, StreamsRepeat) {
    const DrawId id{.purpose = Purpose::test, .signal = 5};
    DrawStream first(9, id), again(9, id), other(9, {.purpose = Purpose::test, .signal = 6});
    int equal_to_other = 0;
    for (int i = 0; i < 100; ++i) {
        const double value = first.normal();
        EXPECT_EQ(value, again.normal());
        equal_to_other += value == other.normal();
    }
    EXPECT_EQ(equal_to_other, 0);
}

// The vector kernels rely on this: numbers 2j and 2j + 1 of a kind come from block j.
TEST(Philox, TwoNumbersPerBlock) {
    const DrawId id{.purpose = Purpose::test};
    DrawStream uniforms(1, id), exponentials(1, id);
    for (std::uint32_t block = 0; block < 4; ++block)
        for (const std::uint64_t word : random_words(1, id, block)) {
            const double u = (static_cast<double>(word >> 12) + 0.5) * 0x1.0p-52;
            EXPECT_EQ(uniforms.uniform(), u);
            EXPECT_EQ(exponentials.exponential(), -std::log(u));
        }
}

}  // namespace
}  // namespace sbdl
