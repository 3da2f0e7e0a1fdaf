// Whole sweeps of SBDL-VB against the brute-force model, in both update modes and both kernel sets: q(D), q(gamma) and
// the bound, sweep after sweep; and what a model reports of them.
#include "learners/vb/vb_learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "sbdl/train.hpp"
#include "support/dense_algebra.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"
#include "unit/learners/vb_brute_force.hpp"

namespace sbdl::test {
namespace {

VbOptions plain_options(const Shape& shape, DictionaryUpdate update) {
    VbOptions options = VbOptions::preset(Preset::paper, static_cast<int>(shape.N));
    options.update = update;
    options.code_shape = 0.8;
    options.code_rate = 0.02;
    options.noise_shape = 1.3;
    options.noise_rate = 0.3;
    options.atom_variance = 2.0;
    return options;
}

class VbSweeps : public ::testing::TestWithParam<std::tuple<std::string, DictionaryUpdate>> {};

TEST_P(VbSweeps, AreTheBruteForceUpdates) {
    const auto& [kernels, update] = GetParam();
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{3, 2, 5}, Shape{2, 2, 1}, Shape{1, 1, 1}, Shape{3, 5, 9}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        const Mat Y = Numbers(61).normals(shape.M, shape.L);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        const VbOptions options = plain_options(shape, update);
        ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 1, kernel_set(kernels));
        VbLearner learner(pass, options, 5);

        VbBruteForce brute{.Y = Y,
                           .code_prior = {options.code_shape, options.code_rate},
                           .noise_prior = {options.noise_shape, options.noise_rate},
                           .beta = options.atom_variance,
                           .independent = update == DictionaryUpdate::sequential,
                           .D = learner.dictionary().mean,
                           .A = {},
                           .mu = {},
                           .Sigma = {},
                           .alpha = Mat::Ones(shape.N, shape.L),
                           .rate = {},
                           .gamma = static_cast<double>(Y.size()) / Y.squaredNorm()};
        const DictionaryPosterior& start = learner.dictionary();
        brute.A = start.independent() ? Mat(start.atom_var.asDiagonal()) : start.row_cov;
        for (int sweep = 0; sweep < 6; ++sweep) {
            SCOPED_TRACE(sweep);
            brute.update_codes();
            brute.update_noise();
            const double bound = brute.bound();
            brute.update_dictionary();

            const VbSweepResult got = learner.sweep(sweep);
            EXPECT_FALSE(got.settling);
            EXPECT_LE(relative_error(got.gamma, brute.gamma), 1e-9);
            EXPECT_LE(relative_error(learner.noise().shape, brute.noise_shape), 1e-14);
            EXPECT_LE(relative_error(learner.noise().rate, brute.noise_rate), 1e-9);
            EXPECT_NEAR(got.bound, bound, 1e-9 * std::max(1.0, std::abs(bound)));
            const DictionaryPosterior& q = learner.dictionary();
            EXPECT_LE(relative_error(q.mean, brute.D), 1e-8);
            EXPECT_LE(relative_error(q.independent() ? Mat(q.atom_var.asDiagonal()) : q.row_cov, brute.A), 1e-8);
            Vec energy = Vec::Zero(shape.N);
            for (Eigen::Index l = 0; l < shape.L; ++l) energy += brute.second_moment(l).diagonal();
            EXPECT_LE(relative_error(learner.code_energy(), energy), 1e-8);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, VbSweeps,
                         ::testing::Combine(::testing::ValuesIn(kernel_set_names()),
                                            ::testing::Values(DictionaryUpdate::sequential, DictionaryUpdate::joint)),
                         [](const auto& each) {
                             return std::get<0>(each.param) + "_" + std::string(to_string(std::get<1>(each.param)));
                         });

/// Mean and standard deviation of gamma^(-1/2) for gamma ~ Gamma(shape, rate), from the moments E gamma^(-1/2) and
/// E 1/gamma.
std::pair<double, double> inverse_root_moments(double shape, double rate) {
    const double mean = std::sqrt(rate) * std::exp(std::lgamma(shape - 0.5) - std::lgamma(shape));
    return {mean, std::sqrt(rate / (shape - 1.0) - mean * mean)};
}

// In the user's units and for atoms of unit norm (docs/math.md, What is reported). The noise is reported to first order
// in 1 / ML: the exact moments differ by a relative 1.5 / ML or less at this size.
TEST(VbModel, ReportsTheMomentsOfItsFactors) {
    for (const DictionaryUpdate update : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
        const Shape shape{3, 5, 200};
        const Mat Y = 7.0 * Numbers(63).normals(shape.M, shape.L);
        const double unit = std::sqrt(Y.squaredNorm() / static_cast<double>(Y.size()));
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        VbOptions options = plain_options(shape, update);
        options.own_units = true;
        options.sweeps = 4;
        options.tolerance = 0.0;
        const Model model = train(source, options, {.execution = {.threads = 1}, .seed = 5}).model;

        ThreadPass pass = pass_over(source, unit, static_cast<std::size_t>(shape.N), 1);
        const VbLearner start(pass, options, 5);
        const DictionaryPosterior& q = start.dictionary();
        VbBruteForce brute{.Y = Y / unit,
                           .code_prior = {options.code_shape, options.code_rate},
                           .noise_prior = {options.noise_shape, options.noise_rate},
                           .beta = options.atom_variance,
                           .independent = update == DictionaryUpdate::sequential,
                           .D = q.mean,
                           .A = q.independent() ? Mat(q.atom_var.asDiagonal()) : q.row_cov,
                           .mu = {},
                           .Sigma = {},
                           .alpha = Mat::Ones(shape.N, shape.L),
                           .rate = {},
                           .gamma = 1.0};
        for (int sweep = 0; sweep < options.sweeps; ++sweep) {
            brute.update_codes();
            brute.update_noise();
            brute.update_dictionary();
        }

        for (std::size_t n = 0; n < 5; ++n) {
            SCOPED_TRACE(n);
            const auto at = static_cast<Eigen::Index>(n);
            const double norm = brute.D.col(at).norm();
            ASSERT_GT(std::abs(norm - 1.0), 0.01) << "a norm that shows";
            EXPECT_LE(relative_error(model.atom_norm[n], norm), 1e-8);
            for (std::size_t m = 0; m < 3; ++m) {
                EXPECT_NEAR(model.dictionary(n, m), brute.D(static_cast<Eigen::Index>(m), at) / norm, 1e-8);
                EXPECT_LE(relative_error(model.dictionary_std(n, m), std::sqrt(brute.A(at, at)) / norm), 1e-8);
            }
            double energy = 0.0;
            for (Eigen::Index l = 0; l < shape.L; ++l) energy += brute.second_moment(l)(at, at);
            EXPECT_LE(relative_error(model.atom_usage[n], unit * norm * std::sqrt(energy / 200.0)), 1e-8);
        }
        const auto [mean, std] = inverse_root_moments(brute.noise_shape, brute.noise_rate);
        EXPECT_NEAR(model.noise_sd / (unit * mean), 1.0, 1.5 / 600.0);
        EXPECT_NEAR(model.noise_sd_std / (unit * std), 1.0, 1.5 / 600.0);
    }
}

// The bound with the noise fixed, as the standard preset fixes it.
TEST(VbFixedNoise, BoundIsTheBruteForceSum) {
    for (const bool independent : {true, false}) {
        Numbers numbers(62);
        const Eigen::Index M = 2, N = 3, L = 4;
        VbBruteForce brute{.Y = numbers.normals(M, L),
                           .code_prior = {0.7, 0.1},
                           .noise_prior = {1.0, 1.0},
                           .beta = 1.5,
                           .independent = independent,
                           .noise_held = true,
                           .D = numbers.normals(M, N),
                           .A = 0.1 * Mat::Identity(N, N),
                           .mu = {},
                           .Sigma = {},
                           .alpha = Mat::Ones(N, L),
                           .rate = {},
                           .gamma = 2.5};
        brute.update_codes();
        SufficientStats stats(M, N);
        stats.residual_sq = brute.residual();
        for (Eigen::Index l = 0; l < L; ++l) stats.objective.log_det_cov += std::log(determinant(brute.Sigma[l]));
        stats.objective.log_code_rate = brute.rate.array().log().sum();
        const DictionaryPosterior q{brute.D, independent ? Vec(brute.A.diagonal()) : Vec(),
                                    independent ? Mat() : brute.A, Mat()};
        const double got =
            variational_bound(stats, static_cast<double>(L), static_cast<double>(M * L), q,
                              {.held = true, .held_at = 2.5}, brute.code_prior, brute.noise_prior, brute.beta);
        EXPECT_NEAR(got, brute.bound(), 1e-10);
    }
}

// A regression: the start chain once pointed at options inside the learner it was moved from.
TEST(VbLearner, GoesOnWhereItIsMovedTo) {
    const Matrix rows = to_rows(Numbers(62).normals(4, 40));
    const MemorySource source{rows};
    const auto second_sweep = [&](bool move) {
        ThreadPass pass = pass_over(source, 1.0, 6, 1, kernel_set("cpu"));
        auto options = std::make_unique<VbOptions>(VbOptions::preset(Preset::standard, 6));
        options->start_sweeps = 12;
        auto first = std::make_unique<VbLearner>(pass, *options, 5);
        options.reset();
        first->sweep(0);
        if (!move) return first->sweep(1).gamma;
        VbLearner second(std::move(*first));
        first.reset();
        return second.sweep(1).gamma;
    };
    EXPECT_EQ(second_sweep(true), second_sweep(false));
}

}  // namespace
}  // namespace sbdl::test
