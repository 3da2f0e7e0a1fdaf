// Draws of on/off codes against the formulas they come from (docs/math.md, N1), exactly: the same random numbers must
// give the same codes, and an entry must turn on where its odds pass its number.
//
// Rate of false alarms of the frequencies, for untried seeds (the seeds are fixed): each is compared at 5.5 of its
// standard errors, a probability of 4e-8; nine comparisons, below 1e-6.
#include "pass/on_off_codes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "plain_on_off.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

SparseCodes no_codes(std::size_t signals, Eigen::Index atoms) {
    SparseCodes codes;
    codes.atoms = static_cast<std::size_t>(atoms);
    codes.start.assign(signals + 1, 0);
    return codes;
}

/// One draw of the codes of all signals.
SparseCodes redrawn(const OnOffState& state, const OnOffNumbers& draw, Mat signals, const SparseCodes& old,
                    const PaddedGram* gram = nullptr) {
    OnOffSampler::Bench bench;
    SparseCodes drawn;
    OnOffSampler(state, draw, gram).block(0, signals, old, 0, drawn, bench);
    drawn.atoms = old.atoms;
    return drawn;
}

TEST(OnOffCodes, AreThoseOfThePlainSweep) {
    constexpr Eigen::Index M = 6, N = 9, L = 30;
    Numbers numbers(11);
    OnOffState state{.D = numbers.normals(M, N),  // atoms of different norms
                     .probability = Vec::LinSpaced(N, 0.02, 0.4),
                     .code_precision = 0.4,
                     .noise_precision = 1.0};
    Mat Y = 2.0 * numbers.normals(M, L);
    Y(0, 3) = Y(4, 3) = Y(5, 8) = unseen;
    SparseCodes codes = no_codes(L, N);
    Mat X = Mat::Zero(N, L);
    std::size_t on = 0;
    for (const std::uint32_t sweep : {0u, 1u, 2u, 7u, 100u}) {
        SCOPED_TRACE(sweep);
        const OnOffNumbers draw{.seed = 4,
                                .sweep = sweep,
                                .chain = 2,
                                .support = Purpose::reestimation_support,
                                .value = Purpose::reestimation_value,
                                .stride = 13};
        codes = redrawn(state, draw, Y, codes);
        Mat got = Mat::Zero(N, L);
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                got(codes.atom[k], static_cast<Eigen::Index>(l)) = codes.value[k];
        for (Eigen::Index l = 0; l < L; ++l) {
            Vec x = X.col(l);
            plain_on_off_sweep(state, draw, static_cast<std::size_t>(l), Y.col(l), x);
            X.col(l) = x;
        }
        ASSERT_LT((got - X).lpNorm<Eigen::Infinity>(), 1e-11);
        on += codes.value.size();
        state.noise_precision *= 1.7;
        state.code_precision *= 0.8;
    }
    EXPECT_GT(on, 5u * L) << "more than one entry of a code";
    EXPECT_LT(on, 5u * N * L / 2) << "and most of them off";
}

// The Gram matrix of a fixed dictionary is computed once and turned to the entry that a sweep begins with.
TEST(OnOffCodes, AreTheSameWithAGivenGramMatrix) {
    constexpr Eigen::Index M = 6, N = 9, L = 30;
    Numbers numbers(12);
    const OnOffState state{.D = numbers.normals(M, N),
                           .probability = Vec::LinSpaced(N, 0.02, 0.4),
                           .code_precision = 0.4,
                           .noise_precision = 3.0};
    const Mat Y = 2.0 * numbers.normals(M, L);
    const PaddedGram gram(state.D);
    SparseCodes codes = no_codes(L, N), with_gram = no_codes(L, N);
    for (std::uint32_t sweep = 0; sweep < 2 * N; ++sweep) {
        const OnOffNumbers draw{.seed = 5, .sweep = sweep, .stride = 13};
        codes = redrawn(state, draw, Y, codes);
        with_gram = redrawn(state, draw, Y, with_gram, &gram);
        ASSERT_EQ(with_gram.atom, codes.atom) << sweep;
        for (std::size_t k = 0; k < codes.value.size(); ++k)
            ASSERT_NEAR(with_gram.value[k], codes.value[k], 1e-11) << sweep;
    }
    EXPECT_GT(codes.value.size(), std::size_t{L});
}

// The signal c u of one unit-norm atom u has the log odds that N1 states. For each signal its uniform number is known,
// and so is the c at which the entry turns on.
TEST(OnOffCodes, TurnOnWhereTheirOddsPassTheirNumber) {
    constexpr double p = 0.03, v = 2.5, gamma = 7.0;
    constexpr std::size_t signals = 500;
    const OnOffState state{.D = Vec{{0.6, 0.0, -0.8}},
                           .probability = Vec::Constant(1, p),
                           .code_precision = 1.0 / v,
                           .noise_precision = gamma};
    const OnOffNumbers draw{.seed = 6, .sweep = 3, .chain = 1};
    Mat below(3, signals), above(3, signals);
    std::vector<bool> can_be_off;
    for (std::size_t l = 0; l < signals; ++l) {
        const double u = DrawStream(draw.seed, {draw.support, draw.sweep, draw.chain, l}).uniform();
        const double needed = std::log(u / (1.0 - u)) - std::log(p / (1.0 - p)) + 0.5 * std::log(1.0 + gamma * v);
        can_be_off.push_back(needed > 0.0);
        const double c = std::sqrt(std::max(needed, 0.0) * 2.0 * (1.0 + gamma * v) / (gamma * gamma * v));
        below.col(static_cast<Eigen::Index>(l)) = (1.0 - 1e-9) * c * state.D;
        above.col(static_cast<Eigen::Index>(l)) = (1.0 + 1e-9) * c * state.D;
    }
    const SparseCodes off = redrawn(state, draw, below, no_codes(signals, 1));
    const SparseCodes on = redrawn(state, draw, above, no_codes(signals, 1));
    const double variance = 1.0 / (gamma + 1.0 / v);
    std::size_t compared = 0;
    for (std::size_t l = 0; l < signals; ++l) {
        if (!can_be_off[l]) continue;  // on with any c
        ++compared;
        EXPECT_EQ(off.start[l + 1] - off.start[l], 0u) << l;
        ASSERT_EQ(on.start[l + 1] - on.start[l], 1u) << l;
        const double c = above.col(static_cast<Eigen::Index>(l)).dot(state.D.col(0));
        const double normal = DrawStream(draw.seed, {draw.value, draw.sweep, draw.chain, l}).normal();
        EXPECT_NEAR(on.value[on.start[l]], gamma * variance * c + std::sqrt(variance) * normal, 1e-12) << l;
    }
    EXPECT_GT(compared, 480u);
}

TEST(OnOffCodes, AreOnAsOftenAsTheirOddsSay) {
    constexpr std::size_t signals = 40'000;
    for (const double c : {0.0, 0.8, 1.1}) {
        SCOPED_TRACE(c);
        const OnOffState state{.D = Vec{{0.6, 0.0, -0.8}},
                               .probability = Vec::Constant(1, 0.2),
                               .code_precision = 0.4,
                               .noise_precision = 7.0};
        const Vec y = c * state.D;
        const PlainEntry entry(0.2, 2.5, 7.0, state.D, y);
        const SparseCodes codes =
            redrawn(state, {.seed = 8}, y.replicate(1, static_cast<Eigen::Index>(signals)), no_codes(signals, 1));
        const auto on = static_cast<double>(codes.value.size());
        const double want = entry.probability_on();
        EXPECT_NEAR(on / signals, want, 5.5 * std::sqrt(want * (1.0 - want) / signals));
        const Eigen::Map<const Vec> values(codes.value.data(), static_cast<Eigen::Index>(codes.value.size()));
        EXPECT_NEAR(values.mean(), entry.mean, 5.5 * std::sqrt(entry.variance / on));
        EXPECT_NEAR((values.array() - entry.mean).square().mean(), entry.variance,
                    5.5 * entry.variance * std::sqrt(2.0 / on));
    }
}

}  // namespace
}  // namespace sbdl::test
