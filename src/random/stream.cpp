#include "random/stream.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace sbdl {

std::array<std::uint64_t, 2> random_words(std::uint64_t seed, const DrawId& id, std::uint32_t index) {
    const r123::Philox4x32::ctr_type counter = {{index, static_cast<std::uint32_t>(id.signal),
                                                 (static_cast<std::uint32_t>(id.signal >> 32) << 16) | id.chain,
                                                 (static_cast<std::uint32_t>(id.purpose) << 24) | id.sweep}};
    const r123::Philox4x32::key_type key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    const auto words = r123::Philox4x32{}(counter, key);
    return {words[0] | (std::uint64_t{words[1]} << 32), words[2] | (std::uint64_t{words[3]} << 32)};
}

namespace {

// The upper 52 bits, moved to the middle of their interval so that the result is never 0 or 1.
double open_unit(std::uint64_t word) {
    constexpr double step = 0x1.0p-52;
    return (static_cast<double>(word >> 12) + 0.5) * step;
}

}  // namespace

std::array<std::uint64_t, 2> DrawStream::next_words() {
    return random_words(seed_, id_, index_++);
}

template <class Make>
double DrawStream::one_of_two(std::optional<double>& spare, const Make& make) {
    if (spare) return *std::exchange(spare, std::nullopt);
    const std::array<double, 2> both = make(next_words());
    spare = both[1];
    return both[0];
}

double DrawStream::uniform() {
    return one_of_two(spare_uniform_, [](const auto& words) {
        return std::array{open_unit(words[0]), open_unit(words[1])};
    });
}

double DrawStream::normal() {
    return one_of_two(spare_normal_, [](const auto& words) {
        const double radius = std::sqrt(-2.0 * std::log(open_unit(words[0])));
        const double angle = 2.0 * std::numbers::pi * open_unit(words[1]);
        return std::array{radius * std::cos(angle), radius * std::sin(angle)};
    });
}

double DrawStream::exponential() {
    return one_of_two(spare_exponential_, [](const auto& words) {
        return std::array{-std::log(open_unit(words[0])), -std::log(open_unit(words[1]))};
    });
}

double DrawStream::gamma(double shape) {
    if (shape < 1.0) {
        // Gamma(s) = Gamma(s + 1) U^(1/s); in logarithms, so that a tiny shape does not underflow.
        const double boosted = gamma(shape + 1.0);
        return boosted * std::exp(std::log(uniform()) / shape);
    }
    if (shape == 1.0) return exponential();
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = normal();
        const double t = 1.0 + c * x;
        if (t <= 0.0) continue;
        const double v = t * t * t;
        if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
}

std::uint64_t DrawStream::below(std::uint64_t n) {
    // Rejection of the incomplete last interval keeps every value equally likely.
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    for (;;) {
        const std::uint64_t word = next_words()[0];
        if (word < limit) return word % n;
    }
}

}  // namespace sbdl
