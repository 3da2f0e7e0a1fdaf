// Codes drawn with their values integrated out, against the sum over all choices of entries.
//
// Rate of false alarms, for untried seeds (the seeds are fixed), by estimates of the standard errors: the moments of 36
// entries at about five of them, below 1e-4 together; twice as many codes far off with one search as with eight, below
// 1e-2.
#include "pass/support_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/compute_scope.hpp"
#include "pass/on_off_evidence.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

/// Mean, standard deviation and probability of each entry, by all 2^N choices.
CodeMoments by_enumeration(const OnOffState& state, const Vec& y) {
    const Eigen::Index N = state.D.cols();
    const OnOffEvidence evidence(state);
    std::vector<Eigen::Index> rows;
    for (Eigen::Index m = 0; m < y.size(); ++m)
        if (!std::isnan(y[m])) rows.push_back(m);
    Vec first = Vec::Zero(N), second = Vec::Zero(N), used = Vec::Zero(N);
    double total = 0.0;
    for (unsigned choice = 0; choice < (1u << N); ++choice) {
        std::vector<std::uint32_t> on;
        for (std::uint32_t n = 0; n < N; ++n)
            if ((choice >> n & 1u) != 0) on.push_back(n);
        if (on.size() > static_cast<std::size_t>(state.D.rows())) continue;
        const double weight = std::exp(evidence(y, on) - evidence(y, {}));
        total += weight;
        if (on.empty()) continue;
        const Mat D = state.D(rows, on);
        const auto k = static_cast<Eigen::Index>(on.size());
        const Mat covariance =
            inverse(state.noise_precision * D.transpose() * D + state.code_precision * Mat::Identity(k, k));
        const Vec mean = state.noise_precision * covariance * D.transpose() * y(rows);
        for (Eigen::Index i = 0; i < k; ++i) {
            const Eigen::Index n = on[static_cast<std::size_t>(i)];
            first[n] += weight * mean[i];
            second[n] += weight * (mean[i] * mean[i] + covariance(i, i));
            used[n] += weight;
        }
    }
    const Vec mean = first / total;
    return {mean, (second / total - mean.cwiseAbs2()).cwiseSqrt(), used / total};
}

TEST(SupportChain, HasTheMomentsOfThePosterior) {
    Numbers numbers(5);
    const OnOffState state{.D = numbers.normals(4, 6),
                           .probability = Vec::LinSpaced(6, 0.05, 0.4),
                           .code_precision = 0.5,
                           .noise_precision = 2.0};
    const PaddedGram gram(state.D);
    const Vec known = Vec::Zero(6);
    const ComputeScope scope;
    SupportChain chain(
        SupportCoding{.state = &state,
                      .atom_var = &known,
                      .signal_var = 4.0,
                      .gram = &gram,
                      .schedule = {.searches = 2, .search_sweeps = 5, .settle_sweeps = 20, .draws = 20000}});
    for (const bool gaps : {false, true}) {
        Vec y = 2.0 * numbers.normals(4, 1);
        if (gaps) y[2] = std::numeric_limits<double>::quiet_NaN();
        DrawStream draws(3, {.purpose = Purpose::test});
        const CodeMoments found = chain.code(y, draws), wanted = by_enumeration(state, y);
        for (Eigen::Index n = 0; n < 6; ++n) {
            EXPECT_NEAR(found.probability[n], wanted.probability[n], 0.03) << n;
            EXPECT_NEAR(found.mean[n], wanted.mean[n], 0.06) << n;
            EXPECT_NEAR(found.std[n], wanted.std[n], 0.06) << n;
        }
    }
}

// An atom whose entries have variance v adds x^2 v to the noise of the others in its signals, but not to its own.
TEST(SupportChain, AnUnsureAtomMakesTheCodesOfOthersUnsure) {
    const OnOffState state{.D = Mat::Identity(4, 2),
                           .probability = Vec::Constant(2, 0.5),
                           .code_precision = 0.001,
                           .noise_precision = 100.0};
    const PaddedGram gram(state.D);
    const ComputeScope scope;
    for (const double v : {0.0, 0.0002}) {
        const Vec atom_var = Vec::Constant(2, v);
        SupportChain chain(
            SupportCoding{.state = &state,
                          .atom_var = &atom_var,
                          .signal_var = 1000.0,
                          .gram = &gram,
                          .schedule = {.searches = 1, .search_sweeps = 20, .settle_sweeps = 20, .draws = 50}});
        DrawStream draws(3, {.purpose = Purpose::test});
        const CodeMoments found = chain.code(Vec{{30.0, 20.0, 0.0, 0.0}}, draws);
        EXPECT_EQ(found.probability.minCoeff(), 1.0);
        EXPECT_NEAR(found.std[0], std::sqrt(0.01 + 400.0 * v), 0.003);
        EXPECT_NEAR(found.std[1], std::sqrt(0.01 + 900.0 * v), 0.003);
    }
}

// Short searches mostly end with wrong atoms. Of several, the most probable code counts.
TEST(SupportChain, ChoosesAmongSearches) {
    Numbers numbers(7);
    constexpr Eigen::Index M = 20, N = 50, L = 200, K = 7;
    const OnOffState state{.D = unit_columns(numbers.normals(M, N)),
                           .probability = Vec::Constant(N, double(K) / N),
                           .code_precision = 1.0,
                           .noise_precision = 1e4};
    const PaddedGram gram(state.D);
    const Vec known = Vec::Zero(N);
    Mat codes = Mat::Zero(N, L);
    for (Eigen::Index l = 0; l < L; ++l)
        for (Eigen::Index k = 0; k < K; ++k)
            codes(static_cast<Eigen::Index>(numbers.uniform() * N), l) = numbers.normal();
    const Mat signals = state.D * codes + 0.01 * numbers.normals(M, L);
    const ComputeScope scope;
    const auto far_off = [&](int searches) {
        SupportChain chain(
            SupportCoding{.state = &state,
                          .atom_var = &known,
                          .signal_var = double(K) / M,
                          .gram = &gram,
                          .schedule = {.searches = searches, .search_sweeps = 6, .settle_sweeps = 0, .draws = 1}});
        int count = 0;
        for (Eigen::Index l = 0; l < L; ++l) {
            DrawStream draws(3, {.purpose = Purpose::test, .signal = static_cast<std::uint64_t>(l)});
            if ((chain.code(signals.col(l), draws).mean - codes.col(l)).cwiseAbs().maxCoeff() > 0.3) ++count;
        }
        return count;
    };
    const int once = far_off(1);
    EXPECT_GT(once, 20);
    EXPECT_LT(2 * far_off(8), once);
}

TEST(SupportChain, ValuesThatOverflowAreNotFinite) {
    const OnOffState state{.D = Mat::Identity(3, 3), .probability = Vec::Constant(3, 0.2)};
    const PaddedGram gram(state.D);
    const Vec known = Vec::Zero(3);
    SupportChain chain(SupportCoding{.state = &state, .atom_var = &known, .gram = &gram});
    DrawStream draws(3, {.purpose = Purpose::test});
    EXPECT_TRUE(std::isnan(chain.code(Vec::Constant(3, 1e200), draws).mean[0]));
}

}  // namespace
}  // namespace sbdl::test
