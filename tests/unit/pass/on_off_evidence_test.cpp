// The probability of a choice of entries against the Gaussian density it comes from, and draws of the values against
// their posterior.
//
// Rate of false alarms of the moments, for untried seeds (the seed is fixed): twelve comparisons at 5 standard errors,
// below 1e-5 together.
#include "pass/on_off_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

OnOffState some_state(Numbers& numbers, Eigen::Index M, Eigen::Index N) {
    return {.D = numbers.normals(M, N),
            .probability = Vec::LinSpaced(N, 0.02, 0.4),
            .code_precision = 0.4,
            .noise_precision = 3.0};
}

/// The rows of observed entries.
std::vector<Eigen::Index> observed(const Vec& y) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index m = 0; m < y.size(); ++m)
        if (!std::isnan(y[m])) rows.push_back(m);
    return rows;
}

/// ln p(z) + ln N(y; 0, I / e + D_z D_z^T / g) up to a constant, by the definition.
double by_definition(const OnOffState& state, const Vec& y, const std::vector<std::uint32_t>& on) {
    const std::vector<Eigen::Index> rows = observed(y);
    const Mat D = state.D(rows, on);
    const Vec seen = y(rows);
    const Mat covariance =
        Mat::Identity(D.rows(), D.rows()) / state.noise_precision + D * D.transpose() / state.code_precision;
    double sum = -0.5 * seen.dot(inverse(covariance) * seen) - 0.5 * std::log(determinant(covariance));
    for (const std::uint32_t n : on) sum += std::log(state.probability[n] / (1.0 - state.probability[n]));
    return sum;
}

TEST(OnOffEvidence, IsThatOfTheDefinitionUpToAConstant) {
    Numbers numbers(3);
    const OnOffState state = some_state(numbers, 6, 9);
    const OnOffEvidence evidence(state);
    for (const bool gaps : {false, true}) {
        Vec y = 2.0 * numbers.normals(6, 1);
        if (gaps) y[1] = y[4] = absent;
        const Vec none = y.unaryExpr([](double value) { return std::isnan(value) ? value : 0.0; });
        const double constant = evidence(none, {}) - by_definition(state, none, {});
        for (const std::vector<std::uint32_t>& on :
             {std::vector<std::uint32_t>{}, {4}, {0, 8}, {1, 2, 3, 5, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8}})
            EXPECT_NEAR(evidence(y, on), by_definition(state, y, on) + constant, 1e-9) << on.size();
    }
}

TEST(OnOffEvidence, OfValuesThatOverflowIsTheLeast) {
    Numbers numbers(3);
    const OnOffState state = some_state(numbers, 6, 9);
    const std::vector<std::uint32_t> on{1, 3};
    EXPECT_EQ(OnOffEvidence(state)(Vec::Constant(6, 1e200), on), -std::numeric_limits<double>::infinity());
}

TEST(OnOffEvidence, ValuesAreDrawnFromTheirPosterior) {
    Numbers numbers(5);
    const OnOffState state = some_state(numbers, 6, 9);
    Vec y = numbers.normals(6, 1);
    y[2] = absent;
    const std::vector<std::uint32_t> on{0, 4, 7};
    const std::vector<Eigen::Index> rows = observed(y);
    const Mat D = state.D(rows, on);
    const Mat covariance =
        inverse(state.code_precision * Mat::Identity(3, 3) + state.noise_precision * D.transpose() * D);
    const Vec mean = covariance * (state.noise_precision * (D.transpose() * y(rows)));

    constexpr int draws = 20000;
    const OnOffEvidence evidence(state);
    DrawStream stream(9, {.purpose = Purpose::test});
    Vec sum = Vec::Zero(3);
    Mat squares = Mat::Zero(3, 3);
    for (int i = 0; i < draws; ++i) {
        const Vec x = evidence.values(y, on, stream) - mean;
        sum += x;
        squares += x * x.transpose();
    }
    for (Eigen::Index i = 0; i < 3; ++i) {
        EXPECT_LT(std::abs(sum[i]), 5.0 * std::sqrt(draws * covariance(i, i)));
        for (Eigen::Index k = 0; k < 3; ++k) {
            const double variance = covariance(i, i) * covariance(k, k) + covariance(i, k) * covariance(i, k);
            EXPECT_LT(std::abs(squares(i, k) - draws * covariance(i, k)), 5.0 * std::sqrt(draws * variance));
        }
    }
}

}  // namespace
}  // namespace sbdl::test
