// Variational Bayes with on/off codes: sweeps against the equations (W1 to W5) on tiny problems, its start, what it
// says about atoms, and a dictionary it has to find.
#include "learners/vb/on_off_vb.hpp"
#include "learners/vb/closing_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/compute_scope.hpp"
#include "learners/vb/closing_chain.hpp"
#include "learners/vb/vb_learner.hpp"
#include "sbdl/score.hpp"
#include "sbdl/settling.hpp"
#include "statistics/von_mises_fisher.hpp"
#include "support/easy_set.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"
#include "support/sphere_integral.hpp"
#include "unit/learners/on_off_brute_force.hpp"

namespace sbdl::test {
namespace {

TEST(OnOffVb, SweepsAreTheBruteForceUpdates) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{4, 2, 7}, Shape{4, 6, 5}, Shape{2, 1, 1}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        Numbers numbers(63);
        const Mat Y = 2.0 * numbers.normals(shape.M, shape.L);
        const Mat start = numbers.normals(shape.M, shape.N);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        const VbOptions options = on_off_options(shape, 2);  // one tempered sweep, at the signals' own precision
        ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 1);
        OnOffVb learner(pass, options);
        learner.start(start, 5.0);

        OnOffBruteForce brute(Y, unit_columns(start), options);
        for (int sweep = 0; sweep < 6; ++sweep) {
            SCOPED_TRACE(sweep);
            brute.update_codes();
            brute.update_usage();
            brute.update_code_precision();
            if (sweep > 0) brute.update_noise();
            const double bound = sweep > 0 ? brute.bound() : 0.0;
            brute.update_atoms();

            const VbSweepResult got = learner.sweep();
            EXPECT_EQ(got.settling, sweep == 0);
            EXPECT_EQ(std::isnan(got.bound), sweep == 0);
            if (sweep > 0) {
                EXPECT_NEAR(got.bound, bound, 1e-9 * std::max(1.0, std::abs(bound)));
            }
            const OnOffPosterior& q = learner.posterior();
            EXPECT_LE(relative_error(got.gamma, brute.gamma), 1e-9);
            EXPECT_LE(relative_error(q.codes.mean(), brute.tau), 1e-9);
            EXPECT_LE(relative_error(q.atoms, brute.D), 1e-9);
            EXPECT_LE(relative_error(q.concentration, brute.kappa), 1e-9);
            EXPECT_LE(relative_error(q.users, brute.w.rowwise().sum()), 1e-9);
            EXPECT_LE(relative_error(learner.code_energy(), brute.second_moment().rowwise().sum()), 1e-9);
        }
    }
}

TEST(OnOffVb, FirstRaisesTheNoisePrecisionThenFreesIt) {
    const ComputeScope scope;
    const Shape shape{4, 6, 50};
    Numbers numbers(64);
    const Matrix rows = to_rows(numbers.normals(shape.M, shape.L));
    const MemorySource source{rows};
    ThreadPass pass = pass_over(source, 1.0, 6, 1);
    OnOffVb learner(pass, on_off_options(shape, 20));  // 10 tempered sweeps, 2 with atoms still held
    const Mat start = numbers.normals(shape.M, shape.N);
    const double first = pass.signal_precision(), target = 300.0 * first;
    learner.start(start, target);
    for (int sweep = 0; sweep < 14; ++sweep) {
        SCOPED_TRACE(sweep);
        const VbSweepResult made = learner.sweep();
        EXPECT_EQ(made.settling, sweep < 12);
        EXPECT_EQ(learner.posterior().noise.held, sweep < 10);
        if (sweep < 10) {
            EXPECT_LE(relative_error(made.gamma, first * std::pow(300.0, sweep / 10.0)), 1e-12);
        }
        EXPECT_EQ(learner.posterior().atoms == unit_columns(start), sweep < 11);
    }
}

TEST(OnOffVb, SwitchesOffAtomsThatNothingUses) {
    const ComputeScope scope;
    const Matrix zeros(20, 4);
    const MemorySource source{zeros};
    ThreadPass pass = pass_over(source, 1.0, 3, 1);
    OnOffVb learner(pass, VbOptions::preset(Preset::standard, 3));
    Mat start = Numbers(65).normals(4, 3);
    start.col(1).setZero();  // switched off from the start
    learner.start(start, 1.0);
    EXPECT_EQ(learner.posterior().spread, (Vec(3) << 0.0, 1.0, 0.0).finished());
    for (int sweep = 0; sweep < 130; ++sweep) ASSERT_TRUE(std::isfinite(learner.sweep().gamma));
    const OnOffPosterior& q = learner.posterior();
    EXPECT_TRUE(q.atoms.isZero(0.0));
    EXPECT_EQ(q.spread, Vec::Ones(3));
    EXPECT_EQ(q.divergence, Vec::Zero(3));
    EXPECT_TRUE(q.atom_std().isZero(0.0));
}

// The variance along the mean direction is the derivative of its length, and all variances add up to 1 - A^2.
TEST(OnOffVb, AtomStdIsThatOfTheSphere) {
    for (const double kappa : {3.0, 80.0, 1e5}) {
        SCOPED_TRACE(kappa);
        constexpr Eigen::Index M = 5;
        const auto length = [](double k) { return von_mises_fisher(M, k).mean_length; };
        const double A = length(kappa), shortfall = von_mises_fisher(M, kappa).shortfall;
        OnOffPosterior q;
        q.atoms = Mat::Zero(M, 2);
        q.atoms(0, 0) = A;
        q.atoms.col(1).setConstant(A / std::sqrt(static_cast<double>(M)));
        q.concentration = Vec::Constant(2, kappa);
        q.spread = Vec::Constant(2, shortfall * (1.0 + A));
        const Mat std = q.atom_std();
        const double slope = (length(1.001 * kappa) - length(0.999 * kappa)) / (0.002 * kappa);
        EXPECT_NEAR(std(0, 0) * std(0, 0), slope, 1e-5 * slope + 1e-12);
        for (Eigen::Index m = 1; m < M; ++m) EXPECT_LE(relative_error(std(m, 0), std::sqrt(A / kappa)), 1e-12);
        EXPECT_LE(relative_error(std.col(0).squaredNorm(), q.spread[0]), 1e-12);
        EXPECT_LE(relative_error(std.col(1).squaredNorm(), q.spread[1]), 1e-12);
    }
}

// The standard preset finds every atom of a small set, with the noise and the atoms' uncertainty about right. Seeds are
// fixed; the bounds are wide.
TEST(OnOffVb, FindsASmallDictionary) {
    const ComputeScope scope;
    const SynthSet set = easy_set(400, 20.0);
    const MemorySource source{set.signals};
    VbOptions options = VbOptions::preset(Preset::standard, 12);
    options.start_sweeps = 300;
    const double unit = scan_signals(source).root_mean_square;
    ThreadPass pass = pass_over(source, unit, 12, 1);
    VbLearner learner(pass, options, 3);
    for (int sweep = 0; sweep < options.start_sweeps + options.sweeps; ++sweep) learner.sweep(sweep);
    const Mat found = unit_columns(learner.atoms()), truth = as_columns(set.dictionary), std = learner.atom_std();
    double within_two = 0.0;
    for (Eigen::Index i = 0; i < truth.cols(); ++i) {
        Eigen::Index n = 0;
        const Vec cosines = found.transpose() * truth.col(i);
        EXPECT_GE(cosines.cwiseAbs().maxCoeff(&n), 0.99) << "atom " << i;
        const Vec error = (cosines[n] < 0.0 ? -1.0 : 1.0) * found.col(n) - truth.col(i);
        within_two += static_cast<double>((error.array().abs() < 2.0 * std.col(n).array()).count());
    }
    EXPECT_GT(within_two / static_cast<double>(truth.size()), 0.80);
    EXPECT_NEAR(unit / std::sqrt(learner.noise().mean()), set.noise_sd, 0.1 * set.noise_sd);
    ASSERT_NE(learner.on_off(), nullptr);
    EXPECT_NEAR(learner.on_off()->users.sum() / 400.0, 2.0, 0.2) << "atoms per signal";
}

// q alone makes the noise of this set 4 % too large and its atoms too certain; the chain that ends the standard preset
// makes both right. Seeds are fixed. A posterior that is right fails the first bound with probability 1e-4 (four
// standard deviations), the second, for 120 entries of atoms that are nearly independent, with about 1e-3.
TEST(OnOffVb, TheClosingChainHasTheRightNoiseAndSpread) {
    const SynthSet set = synthesize(
        {.dim = 10, .atoms = 20, .signals = 600, .sparsity_min = 3, .sparsity_max = 3, .snr_db = 20.0, .seed = 5});
    VbOptions options = VbOptions::preset(Preset::standard, 20);
    const auto learned = [&] {
        return train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 3}).model;
    };
    const Model model = learned();
    EXPECT_NEAR(model.noise_sd, set.noise_sd, 4.0 * model.noise_sd_std);
    EXPECT_LT(model.noise_sd_std, 0.03 * model.noise_sd);
    const RecoveryScore score = score_dictionary(set.dictionary, model.dictionary, 0.01);
    double within = 0.0, entries = 0.0;
    for (std::size_t i = 0; i < 20; ++i) {
        if (score.assigned_distance[i] > 0.01) continue;
        const auto n = static_cast<std::size_t>(score.assigned_to[i]);
        double product = 0.0;
        for (std::size_t m = 0; m < 10; ++m) product += set.dictionary(i, m) * model.dictionary(n, m);
        for (std::size_t m = 0; m < 10; ++m, entries += 1.0) {
            const double error = std::copysign(1.0, product) * model.dictionary(n, m) - set.dictionary(i, m);
            if (std::abs(error) < 1.96 * model.dictionary_std(n, m)) within += 1.0;
        }
    }
    EXPECT_GE(entries, 190.0) << "atoms found";
    EXPECT_GT(within / entries, 0.90);
    EXPECT_LT(within / entries, 0.995);

    options.closing_sweeps = 0;
    options.reestimate_noise = false;
    const Model of_q = learned();
    EXPECT_EQ(std::vector(of_q.dictionary.data(), of_q.dictionary.data() + of_q.dictionary.size()),
              std::vector(model.dictionary.data(), model.dictionary.data() + model.dictionary.size()))
        << "the atoms are VB's";
    EXPECT_GT(of_q.noise_sd, model.noise_sd);
}

// The numbers of the model by value: mean and spread of the draws that the chain after VB makes.
TEST(OnOffVb, TheModelHasTheSpreadOfTheClosingDraws) {
    const ComputeScope scope;
    const SynthSet set = easy_set(300);
    const MemorySource source{set.signals};
    VbOptions options = short_vb(12);
    options.tolerance = 0.0;
    constexpr std::uint64_t seed = 4;
    const Model model = train(source, options, {.execution = {.threads = 1}, .seed = seed}).model;

    const double unit = scan_signals(source).root_mean_square;
    ThreadPass pass = pass_over(source, unit, 12, 1);
    VbLearner learner(pass, options, seed);
    for (int sweep = 0; sweep < options.start_sweeps + options.sweeps; ++sweep) learner.sweep(sweep);
    ClosingChain chain(pass, options, seed, learner.atoms(), learner.noise().mean());
    std::vector<Mat> draws;
    std::vector<double> noise;
    while (!chain.done()) {
        const double gamma = chain.sweep(false);
        if (chain.average().count() == 0) continue;
        draws.push_back(chain.dictionary());
        noise.push_back(unit / std::sqrt(gamma));
    }
    ASSERT_EQ(draws.size(), 20u);
    double mean = 0.0, square = 0.0;
    for (const double value : noise) mean += value / 20.0;
    for (const double value : noise) square += (value - mean) * (value - mean) / 19.0;
    EXPECT_LE(relative_error(model.noise_sd, mean), 1e-12);
    EXPECT_LE(relative_error(model.noise_sd_std, std::sqrt(square)), 1e-9);
    const Mat atoms = as_columns(model.dictionary);
    for (Eigen::Index n = 0; n < 12; ++n) {
        const auto turned = [&](const Mat& draw) {
            return Vec((draw.col(n).dot(atoms.col(n)) < 0.0 ? -1.0 : 1.0) * draw.col(n));
        };
        Vec average = Vec::Zero(atoms.rows());
        for (const Mat& draw : draws) average += turned(draw) / 20.0;
        Vec sum = (average - atoms.col(n)).cwiseAbs2();  // the estimate is VB's
        for (const Mat& draw : draws) sum += (turned(draw) - average).cwiseAbs2() / 19.0;
        for (Eigen::Index m = 0; m < atoms.rows(); ++m)
            EXPECT_LE(relative_error(model.dictionary_std(static_cast<std::size_t>(n), static_cast<std::size_t>(m)),
                                     std::sqrt(sum[m])),
                      1e-9);
    }
}

// It goes on until it has settled, or to the number that is allowed. With none it ends where it was planned to.
TEST(OnOffVb, TheClosingChainGoesOnUntilItHasSettled) {
    const SynthSet set = easy_set(300);
    VbOptions options = short_vb(12);
    options.closing_sweeps = 200;
    const auto learned = [&] { return train(MemorySource{set.signals}, options, {.seed = 4}); };
    const TrainResult planned = learned();
    ASSERT_EQ(judge_settling(planned.model).settled, Settled::no) << "100 draws are not worth 100";
    options.most_closing_sweeps = 4000;
    const TrainResult longer = learned();
    EXPECT_GT(longer.sweeps, planned.sweeps);
    for (const double ess : {longer.model.diagnostics.noise_ess, longer.model.diagnostics.atoms_ess,
                             longer.model.diagnostics.codes_ess, longer.model.diagnostics.objective_ess})
        EXPECT_GE(ess, settled_ess);
    options.most_closing_sweeps = 230;
    EXPECT_EQ(learned().sweeps, planned.sweeps + 30);
}

}  // namespace
}  // namespace sbdl::test
