// Whether the draws follow their distributions. Seeds are fixed, so a test that passes keeps passing; the false-alarm
// rate is how often a correct generator would fail with a random seed. Each comparison below has a rate of about 1e-6:
//
//   Kolmogorov-Smirnov   sqrt(n) sup |F_n - F| < 2.70, since 2 exp(-2 * 2.70^2) = 9e-7
//   moments              within 4.9 standard deviations of their mean (two-sided normal tail 9.6e-7)
//   chi-squared          Wilson-Hilferty: its cube root is normal, bound at 4.76 (one-sided)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "random/stream.hpp"

namespace sbdl {
namespace {

constexpr std::size_t many = 200000;

std::vector<double> draws(std::uint64_t signal, const std::function<double(DrawStream&)>& draw) {
    DrawStream stream(/*seed=*/2024, {.purpose = Purpose::test, .signal = signal});
    std::vector<double> x(many);
    for (double& value : x) value = draw(stream);
    return x;
}

// P(shape, x), the Gamma distribution function: by its series below the mean, by Lentz's continued fraction for 1 - P
// above it.
double gamma_cdf(double shape, double x) {
    if (x <= 0.0) return 0.0;
    const double front = std::exp(shape * std::log(x) - x - std::lgamma(shape));
    if (x < shape + 1.0) {
        double term = 1.0 / shape, sum = term;
        for (int k = 1; term > 1e-16 * sum; ++k) sum += term *= x / (shape + k);
        return front * sum;
    }
    double b = x + 1.0 - shape, c = 1e300, d = 1.0 / b, h = d;
    for (int k = 1; k < 10000; ++k) {
        const double a = -k * (k - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        h *= c * d;
        if (std::abs(c * d - 1.0) < 1e-15) break;
    }
    return 1.0 - front * h;
}

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

void expect_follows(std::vector<double> x, const std::function<double(double)>& cdf) {
    std::sort(x.begin(), x.end());
    const auto n = static_cast<double>(x.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double f = cdf(x[i]);
        largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
    }
    EXPECT_LT(std::sqrt(n) * largest, 2.70);
}

// Mean and variance against those of the distribution, whose fourth central moment gives the spread of the estimated
// variance.
void expect_moments(const std::vector<double>& x, double mean, double variance, double fourth_central) {
    const auto n = static_cast<double>(x.size());
    double sum = 0.0, sum_sq = 0.0;
    for (const double value : x) {
        sum += value - mean;
        sum_sq += (value - mean) * (value - mean);
    }
    EXPECT_NEAR(sum / n, 0.0, 4.9 * std::sqrt(variance / n));
    EXPECT_NEAR(sum_sq / n, variance, 4.9 * std::sqrt((fourth_central - variance * variance) / n));
}

TEST(Distributions, Uniform) {
    const auto x = draws(1, [](DrawStream& s) { return s.uniform(); });
    expect_follows(x, [](double v) { return v; });
    expect_moments(x, 0.5, 1.0 / 12.0, 1.0 / 80.0);
    EXPECT_GT(*std::min_element(x.begin(), x.end()), 0.0);
    EXPECT_LT(*std::max_element(x.begin(), x.end()), 1.0);
}

TEST(Distributions, Normal) {
    const auto x = draws(2, [](DrawStream& s) { return s.normal(); });
    expect_follows(x, normal_cdf);
    expect_moments(x, 0.0, 1.0, 3.0);
}

// The two normals of a block share a radius; neither they nor their squares may be correlated.
TEST(Distributions, NormalsOfABlockAreIndependent) {
    const auto x = draws(3, [](DrawStream& s) { return s.normal(); });
    double product = 0.0, product_sq = 0.0;
    for (std::size_t i = 0; i < many; i += 2) {
        product += x[i] * x[i + 1];
        product_sq += (x[i] * x[i] - 1.0) * (x[i + 1] * x[i + 1] - 1.0);
    }
    const double pairs = many / 2;
    EXPECT_NEAR(product / pairs, 0.0, 4.9 / std::sqrt(pairs));
    EXPECT_NEAR(product_sq / pairs, 0.0, 4.9 * 2.0 / std::sqrt(pairs));
}

TEST(Distributions, Exponential) {
    const auto x = draws(4, [](DrawStream& s) { return s.exponential(); });
    expect_follows(x, [](double v) { return -std::expm1(-v); });
    expect_moments(x, 1.0, 1.0, 9.0);
}

class GammaDraws : public testing::TestWithParam<double> {};

TEST_P(GammaDraws, FollowTheirDistribution) {
    const double shape = GetParam();
    const auto x = draws(5, [&](DrawStream& s) { return s.gamma(shape); });
    expect_follows(x, [&](double v) { return gamma_cdf(shape, v); });
    expect_moments(x, shape, shape, 3.0 * shape * shape + 6.0 * shape);
    EXPECT_GE(*std::min_element(x.begin(), x.end()), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GammaDraws, testing::Values(0.1, 0.5, 1.0, 2.5, 1000.0));

// Draws from a stream of mixed kinds are as good as those from a stream of one kind.
TEST(Distributions, KindsCanBeMixedInOneStream) {
    const auto x = draws(6, [](DrawStream& s) {
        s.uniform();
        s.gamma(0.3);
        return s.normal();
    });
    expect_follows(x, normal_cdf);
}

// For n = 3 * 2^62 the plain remainder of a 64-bit word would give every value below 2^62 twice the weight of the
// others.
TEST(Distributions, BelowIsUnbiasedForLargeBounds) {
    const std::uint64_t third = std::uint64_t{1} << 62;
    const auto x = draws(7, [&](DrawStream& s) { return static_cast<double>(s.below(3 * third) / third); });
    const double expected = many / 3.0;
    double chi_sq = 0.0;
    for (const double cell : {0.0, 1.0, 2.0}) {
        const auto count = static_cast<double>(std::count(x.begin(), x.end(), cell));
        chi_sq += (count - expected) * (count - expected) / expected;
    }
    EXPECT_LT(chi_sq, 27.6);  // two degrees of freedom: exp(-27.6 / 2) = 1e-6
}

TEST(Distributions, BelowIsUniform) {
    for (const std::uint64_t n : {2, 7, 64, 1000}) {
        const auto x = draws(8 + n, [&](DrawStream& s) { return static_cast<double>(s.below(n)); });
        std::vector<double> count(n, 0.0);
        for (const double value : x) count.at(static_cast<std::size_t>(value)) += 1.0;
        const double expected = static_cast<double>(many) / static_cast<double>(n);
        double chi_sq = 0.0;
        for (const double c : count) chi_sq += (c - expected) * (c - expected) / expected;
        const auto freedom = static_cast<double>(n - 1);
        const double spread = 2.0 / (9.0 * freedom);
        EXPECT_LT(chi_sq, freedom * std::pow(1.0 - spread + 4.76 * std::sqrt(spread), 3.0)) << "n = " << n;
    }
}

TEST(Distributions, BelowOneIsZero) {
    DrawStream stream(1, {.purpose = Purpose::test});
    EXPECT_EQ(stream.below(1), 0u);
}

}  // namespace
}  // namespace sbdl
