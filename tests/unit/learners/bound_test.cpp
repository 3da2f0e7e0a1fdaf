// The variational bound lies below the log evidence of the model, and not far below it where the model is simple. For
// signals with one entry and one atom the evidence is a triple integral,
//
//     p(Y) = int dd N(d; 0, beta) int dg Gamma(g; c, d0) prod_l int dx t(x) N(y_l; d x, 1/g),     t: Student, 2a
//     degrees,
//
// computed here on grids.
#include "learners/vb/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "learners/vb/vb_learner.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "unit/learners/vb_brute_force.hpp"

namespace sbdl::test {
namespace {

struct Priors {
    double a = 1.5, b = 0.5, c = 2.0, d0 = 1.0, beta = 1.0;
};
constexpr Priors prior;

double normal_density(double x, double variance) {
    return std::exp(-0.5 * x * x / variance) / std::sqrt(2.0 * std::numbers::pi * variance);
}

double student_density(double x) {  // x ~ N(0, 1/alpha), alpha ~ Gamma(a, b)
    return std::exp(std::lgamma(prior.a + 0.5) - std::lgamma(prior.a) + prior.a * std::log(prior.b) -
                    0.5 * std::log(2.0 * std::numbers::pi) - (prior.a + 0.5) * std::log(prior.b + 0.5 * x * x));
}

// Trapezoid points in u for x = sinh(u): enough for tails and for the middle.
struct Grid {
    std::vector<double> x, weight;
};
Grid sinh_grid(double reach, int points) {
    Grid grid;
    const double step = 2.0 * reach / (points - 1);
    for (int i = 0; i < points; ++i) {
        const double u = -reach + i * step;
        grid.x.push_back(std::sinh(u));
        grid.weight.push_back(step * std::cosh(u));
    }
    return grid;
}

double log_evidence(const std::vector<double>& y) {
    Grid codes = sinh_grid(7.0, 201);
    for (std::size_t i = 0; i < codes.x.size(); ++i) codes.weight[i] *= student_density(codes.x[i]);
    const Grid atoms = sinh_grid(2.5, 61);
    double sum = 0.0;
    constexpr int noise_points = 61;
    for (int j = 0; j < noise_points; ++j) {
        const double log_g = -7.0 + 10.0 * j / (noise_points - 1);
        const double g = std::exp(log_g);
        const double noise_weight =
            10.0 / (noise_points - 1) * g *
            std::exp(prior.c * std::log(prior.d0) - std::lgamma(prior.c) + (prior.c - 1.0) * log_g - prior.d0 * g);
        for (std::size_t k = 0; k < atoms.x.size(); ++k) {
            double product = noise_weight * atoms.weight[k] * normal_density(atoms.x[k], prior.beta);
            for (const double value : y) {
                double inner = 0.0;
                for (std::size_t i = 0; i < codes.x.size(); ++i)
                    inner += codes.weight[i] * normal_density(value - atoms.x[k] * codes.x[i], 1.0 / g);
                product *= inner;
            }
            sum += product;
        }
    }
    return std::log(sum);
}

double converged_bound(const std::vector<double>& y, DictionaryUpdate update) {
    Matrix rows(y.size(), 1);
    std::copy(y.begin(), y.end(), rows.data());
    const MemorySource source{rows};
    VbOptions options = VbOptions::preset(Preset::paper, 1);
    options.update = update;
    options.code_shape = prior.a;
    options.code_rate = prior.b;
    options.noise_shape = prior.c;
    options.noise_rate = prior.d0;
    options.atom_variance = prior.beta;
    ThreadPass pass = pass_over(source, 1.0, 1, 1, reference_kernels());
    VbLearner learner(pass, options, 1);
    double bound = 0.0;
    for (int sweep = 0; sweep < 400; ++sweep) bound = learner.sweep(sweep).bound;
    return bound;
}

TEST(Bound, LiesBelowTheLogEvidenceAndNearIt) {
    // A check of the integral: over all y it must be 1.
    double total = 0.0;
    const Grid signals = sinh_grid(6.0, 41);
    for (std::size_t i = 0; i < signals.x.size(); ++i)
        total += signals.weight[i] * std::exp(log_evidence({signals.x[i]}));
    EXPECT_NEAR(total, 1.0, 2e-3);

    for (const std::vector<double>& y : {std::vector<double>{0.4}, {-2.5}, {0.9, -0.3}, {3.0, 2.0, -1.0}}) {
        const double evidence = log_evidence(y);
        for (const DictionaryUpdate update : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
            const double bound = converged_bound(y, update);
            EXPECT_LT(bound, evidence);
            EXPECT_GT(bound, evidence - 1.25 * static_cast<double>(y.size()));
        }
    }
}

TEST(Digamma, AgreesWithKnownValuesAndWithLogGamma) {
    constexpr double euler = std::numbers::egamma;
    EXPECT_NEAR(digamma(1.0), -euler, 1e-14);
    EXPECT_NEAR(digamma(0.5), -euler - 2.0 * std::numbers::ln2, 1e-14);
    EXPECT_NEAR(digamma(2.0), 1.0 - euler, 1e-14);
    EXPECT_NEAR(digamma(0.25), -euler - std::numbers::pi / 2.0 - 3.0 * std::numbers::ln2, 1e-13);
    for (const double x : {0.03, 0.3, 1.7, 5.5, 9.99, 10.0, 42.0, 1e4, 1e7})
        EXPECT_NEAR(digamma(x), psi(x), 1e-10 * std::max(1.0, std::abs(psi(x)))) << x;
    for (const double x : {1e-8, 0.1, 3.0, 12.0}) EXPECT_NEAR(digamma(x + 1.0) - digamma(x), 1.0 / x, 1e-14 / x);
}

}  // namespace
}  // namespace sbdl::test
