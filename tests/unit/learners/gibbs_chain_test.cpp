// A sweep of SBDL-Gibbs after burn-in: its draws follow its conditionals, given the codes of the same sweep.
#include "learners/gibbs/gibbs_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "learners/dictionary_update.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

double log_normal(double x, double variance) {
    return -0.5 * std::log(2.0 * std::numbers::pi * variance) - 0.5 * x * x / variance;
}
double log_gamma_density(double x, double shape, double rate) {
    return shape * std::log(rate) - std::lgamma(shape) + (shape - 1.0) * std::log(x) - rate * x;
}

class GibbsSweeps : public ::testing::TestWithParam<std::tuple<std::string, DictionaryUpdate>> {};

TEST_P(GibbsSweeps, DrawNoiseAndDictionaryFromTheirConditionals) {
    const auto& [kernels, update] = GetParam();
    const Shape shape{3, 4, 7};
    const std::uint64_t seed = 8;
    const std::uint32_t chain_number = 3;
    GibbsOptions options = GibbsOptions::preset(Preset::paper, static_cast<int>(shape.N));
    options.update = update;
    options.burn_in = 0;
    options.code_shape = 1.2;
    options.code_rate = 0.4;
    options.noise_shape = 2.0;
    options.noise_rate = 0.8;
    options.atom_variance = 1.5;
    const Mat Y = Numbers(71).normals(shape.M, shape.L);
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 1, kernel_set(kernels));
    GibbsChain chain(pass, options, seed, chain_number);
    for (int sweep = 0; sweep < 3; ++sweep) {
        SCOPED_TRACE(sweep);
        const Mat D = chain.dictionary();
        ChainSweep got;
        const Mat X = codes_of_sweep(pass, [&](const Vec* scale) { got = chain.sweep(sweep, scale); });
        const Mat alpha = code_variances(pass).cwiseInverse();

        // gamma | - ~ Gamma(c + ML/2, d + |Y - DX|^2 / 2)
        DrawStream noise(seed, {Purpose::noise_precision, static_cast<std::uint32_t>(sweep), chain_number, 0});
        const double c_hat = 2.0 + 0.5 * 3 * 7;
        const double d_hat = 0.8 + 0.5 * (Y - D * X).squaredNorm();
        EXPECT_LE(relative_error(got.gamma, noise.gamma(c_hat) / d_hat), 1e-11);
        EXPECT_EQ(got.refreshed, 0);

        // ln p(Y, X, D, alpha, gamma), one density at a time
        double joint = log_gamma_density(got.gamma, 2.0, 0.8);
        const Mat misfit = Y - D * X;
        for (Eigen::Index i = 0; i < misfit.size(); ++i) joint += log_normal(misfit(i), 1.0 / got.gamma);
        for (Eigen::Index i = 0; i < X.size(); ++i)
            joint += log_normal(X(i), 1.0 / alpha(i)) + log_gamma_density(alpha(i), 1.2, 0.4);
        for (Eigen::Index i = 0; i < D.size(); ++i) joint += log_normal(D(i), 1.5);
        EXPECT_NEAR(got.log_joint, joint, 1e-9 * std::abs(joint));

        // D | - from the new gamma and this sweep's codes; the draws themselves are checked in dictionary_update_test
        SufficientStats stats(shape.M, shape.N);
        stats.y_xt = Y * X.transpose();
        stats.x_xt = X * X.transpose();
        Mat next = D;
        DrawStream draws(seed, {Purpose::dictionary, static_cast<std::uint32_t>(sweep), chain_number, 0});
        if (update == DictionaryUpdate::sequential)
            draw_atoms_in_turn(stats, got.gamma, 1.5, draws, next);
        else
            draw_dictionary(stats, got.gamma, 1.5, draws, next);
        EXPECT_LE(relative_error(chain.dictionary(), next), 1e-9);
        EXPECT_LE(relative_error(chain.code_energy(), X.rowwise().squaredNorm()), 1e-12);
        EXPECT_EQ(chain.code_rate(), 0.4);
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, GibbsSweeps,
                         ::testing::Combine(::testing::ValuesIn(kernel_set_names()),
                                            ::testing::Values(DictionaryUpdate::sequential, DictionaryUpdate::joint)),
                         [](const auto& each) {
                             return std::get<0>(each.param) + "_" + std::string(to_string(std::get<1>(each.param)));
                         });

// If the rate is not given, it follows the noise in burn-in and is fixed from then on, so the kept sweeps are one
// sampler.
TEST(GibbsBurnIn, CodeRateFollowsTheNoiseThenStays) {
    const Matrix rows = to_rows(Numbers(72).normals(4, 60));
    const MemorySource source{rows};
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 6);
    options.prior = CodePrior::student_t;
    options.burn_in = 12;
    ThreadPass pass = pass_over(source, 1.0, 6, 1);
    GibbsChain chain(pass, options, 1, 0);
    double gamma = pass.signal_precision();
    for (int sweep = 0; sweep < 20; ++sweep) {
        const double norm_sq = chain.dictionary().squaredNorm() / 6.0;
        const double before = chain.code_rate();
        const double core = options.core_to_noise;
        const double made = chain.sweep(sweep).gamma;
        if (sweep < options.burn_in)
            EXPECT_LE(relative_error(chain.code_rate(), 0.5 * core * core / (gamma * norm_sq)), 1e-13);
        else
            EXPECT_EQ(chain.code_rate(), before);
        gamma = made;
    }
}

}  // namespace
}  // namespace sbdl::test
