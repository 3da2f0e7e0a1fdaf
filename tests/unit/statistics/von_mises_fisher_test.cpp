// The von Mises-Fisher distribution against closed forms, numerical integration, a recurrence and its limits.
#include "statistics/von_mises_fisher.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/rounding.hpp"
#include "support/sphere_integral.hpp"

namespace sbdl::test {
namespace {

TEST(VonMisesFisher, IsUniformWithoutConcentration) {
    for (const double dim : {1.0, 2.0, 3.0, 100.0, 1e4}) {
        const VonMisesFisher law = von_mises_fisher(dim, 0.0);
        EXPECT_EQ(law.mean_length, 0.0);
        EXPECT_EQ(law.shortfall, 1.0);
        EXPECT_EQ(law.divergence, 0.0);
    }
}

TEST(VonMisesFisher, IsTheClosedFormInThreeDimensions) {
    // A = coth k - 1/k, Z = sinh(k) / k
    for (const double k : {0.5, 3.0, 20.0, 49.9, 50.0, 51.0, 1e3, 1e6, 1e9, 1e12}) {
        SCOPED_TRACE(k);
        const VonMisesFisher law = von_mises_fisher(3.0, k);
        const double above_one = 2.0 / std::expm1(2.0 * k);  // coth k - 1
        EXPECT_LE(relative_error(law.mean_length, 1.0 + above_one - 1.0 / k), 1e-14);
        EXPECT_LE(relative_error(law.shortfall, 1.0 / k - above_one), 1e-13);
        const double divergence = k * above_one - 1.0 - std::log1p(-std::exp(-2.0 * k)) + std::log(2.0 * k);
        EXPECT_LE(relative_error(law.divergence, divergence), k < 1.0 ? 1e-13 : 2e-14);
    }
}

TEST(VonMisesFisher, IsASignInOneDimension) {
    for (const double k : {1e-3, 0.5, 5.0, 60.0, 1e9}) {
        SCOPED_TRACE(k);
        const VonMisesFisher law = von_mises_fisher(1.0, k);
        EXPECT_LE(relative_error(law.mean_length, std::tanh(k)), 1e-14);
        EXPECT_GE(law.shortfall, 0.0);
        EXPECT_LE(law.mean_length, 1.0);
        // ln cosh k = k + ln(1 + exp(-2k)) - ln 2
        if (k > 0.1) {
            EXPECT_NEAR(law.divergence, k * (std::tanh(k) - 1.0) - std::log1p(std::exp(-2.0 * k)) + std::numbers::ln2,
                        1e-13);
        }
    }
}

TEST(VonMisesFisher, IsTheIntegralOverTheSphere) {
    for (const double dim : {2.0, 4.0, 6.0, 20.0, 21.0, 101.0, 102.0, 103.0, 1e3, 1e4})
        for (const double k : {0.01, 0.3, 7.0, 49.9, 50.1, 400.0, 5e3, 5e4}) {
            SCOPED_TRACE(::testing::Message() << "M = " << dim << ", kappa = " << k);
            const VonMisesFisher law = von_mises_fisher(dim, k);
            const SphereIntegral by_sum = integrate_over_sphere(dim, k);
            EXPECT_LE(relative_error(law.mean_length, by_sum.mean_length), 1e-12);
            EXPECT_LE(relative_error(law.shortfall, by_sum.shortfall), 1e-12);
            // The integral's own rounding: ln Z is a difference of logarithms of the size of M.
            EXPECT_NEAR(law.divergence, by_sum.divergence, 1e-12 * law.divergence + 3e-12);
        }
}

// 1 / A_M = A_{M+2} + M / kappa: the recurrence of the Bessel functions, where integration is out of reach.
TEST(VonMisesFisher, ObeysTheRecurrence) {
    for (double dim = 1.0; dim <= 1e4; dim = std::ceil(1.7 * dim))
        for (double k = 1e-6; k <= 1e12; k *= 7.0) {
            SCOPED_TRACE(::testing::Message() << "M = " << dim << ", kappa = " << k);
            const double here = von_mises_fisher(dim, k).mean_length, above = von_mises_fisher(dim + 2, k).mean_length;
            EXPECT_LE(relative_error(1.0 / here, above + dim / k), 2e-14);
        }
}

// Concentrated, it is a Gaussian of variance 1 / kappa in the M - 1 directions along the sphere.
TEST(VonMisesFisher, IsGaussianWhereItIsNarrow) {
    for (const double dim : {2.0, 3.0, 20.0, 64.0, 300.0})
        for (const double k : {1e10, 1e12}) {
            SCOPED_TRACE(::testing::Message() << "M = " << dim << ", kappa = " << k);
            const VonMisesFisher law = von_mises_fisher(dim, k);
            EXPECT_LE(relative_error(law.shortfall, (dim - 1.0) / (2.0 * k) * (1.0 - (dim - 3.0) / (4.0 * k))), 1e-13);
            const double log_area = std::numbers::ln2 + 0.5 * dim * std::log(std::numbers::pi) - std::lgamma(0.5 * dim);
            const double entropy = 0.5 * (dim - 1.0) * (std::log(2.0 * std::numbers::pi / k) + 1.0);
            EXPECT_NEAR(law.divergence, log_area - entropy, 1e-12 * law.divergence + dim * dim / k);
        }
}

}  // namespace
}  // namespace sbdl::test
