// vb with missing entries (K5, K6): updates against plain sums over the observed entries, what it infers, what changes
// nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/compute_scope.hpp"
#include "learners/gaps.hpp"
#include "learners/vb/gappy_atom.hpp"
#include "learners/vb/vb_learner.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/pass_over.hpp"
#include "support/rounding.hpp"
#include "support/same_result.hpp"
#include "unit/learners/on_off_brute_force.hpp"

namespace sbdl::test {
namespace {

TEST(GappyAtom, WithEqualWeightsIsThatOfCompleteSignals) {
    Numbers numbers(71);
    for (const Eigen::Index M : {1, 2, 7}) {
        const Vec b = 30.0 * numbers.normals(M, 1);
        for (const double kappa : {0.0, 4.0, std::numeric_limits<double>::infinity()}) {
            const SphereFactor q =
                best_gappy_atom(b, Vec::Constant(M, 12.0), {numbers.normals(M, 1).normalized(), kappa});
            EXPECT_LE(relative_error(q.concentration, b.norm()), 1e-12);
            EXPECT_LE((q.direction - b.normalized()).norm(), 1e-12);
        }
    }
}

// On the circle, by sums over the angle.
TEST(GappyAtom, TermsAreTheExpectationsTheyStandFor) {
    const Vec b = (Vec(2) << 3.0, -1.0).finished(), w = (Vec(2) << 5.0, 1.0).finished();
    const auto by_sums = [&](const SphereFactor& q) {
        double weights = 0.0, terms = 0.0, logs = 0.0;
        Vec mean = Vec::Zero(2), square = Vec::Zero(2);
        constexpr int steps = 4000;
        for (int i = 0; i < steps; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / steps;
            const Vec d = (Vec(2) << std::cos(angle), std::sin(angle)).finished();
            const double weight = std::exp(q.concentration * (d.dot(q.direction) - 1.0));
            weights += weight;
            terms += weight * (b.dot(d) - 0.5 * w.dot(d.cwiseAbs2()));
            logs += weight * q.concentration * (d.dot(q.direction) - 1.0);
            mean += weight * d;
            square += weight * d.cwiseAbs2();
        }
        EXPECT_LE((mean / weights - q.mean()).norm(), 1e-12);
        EXPECT_LE((square / weights - q.mean().cwiseAbs2() - q.variance()).norm(), 1e-12);
        return terms / weights - (logs / weights - std::log(weights / steps));
    };
    const SphereFactor first{(Vec(2) << 0.6, 0.8).finished(), 4.0}, second{(Vec(2) << 0.8, -0.6).finished(), 0.7};
    EXPECT_NEAR(gappy_atom_terms(b, w, second) - gappy_atom_terms(b, w, first), by_sums(second) - by_sums(first),
                1e-11);
}

TEST(GappyAtom, IsTheBestOfItsFamily) {
    Numbers numbers(72);
    for (const Eigen::Index M : {2, 5, 40})
        for (const double size : {0.3, 10.0, 1e5}) {
            SCOPED_TRACE(::testing::Message() << M << " " << size);
            const Vec weight = size * numbers.spread(M, 1, -1.0, 0.0);
            const Vec linear = 0.5 * size * numbers.normals(M, 1);
            for (const double kappa : {0.0, 0.1 * size, std::numeric_limits<double>::infinity()}) {
                const SphereFactor old{(linear + size * numbers.normals(M, 1)).normalized(), kappa};
                const SphereFactor q = best_gappy_atom(linear, weight, old);
                const double best = gappy_atom_terms(linear, weight, q), rounding = 1e-12 * (1.0 + size);
                EXPECT_GE(best, gappy_atom_terms(linear, weight, old) - rounding);
                for (const double factor : {0.99, 0.9999, 1.0001, 1.01})
                    EXPECT_LE(gappy_atom_terms(linear, weight, {q.direction, factor * q.concentration}),
                              best + rounding);
                for (int other = 0; other < 5; ++other) {
                    const Vec mu = (q.direction + 1e-3 * numbers.normals(M, 1)).normalized();
                    EXPECT_LE(gappy_atom_terms(linear, weight, {mu, q.concentration}), best + rounding);
                }
            }
        }
}

// W1 to W3 and the bound from the observed entries; then every atom at the optimum of K6, given the newest others.
TEST(VbGaps, SweepsAreTheBruteForceUpdates) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{3, 2, 130}, Shape{5, 6, 9}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        Numbers numbers(73);
        const Mat Y = 2.0 * numbers.normals(shape.M, shape.L) + random_gaps(shape.M, shape.L, 0.4, numbers);
        const Mat start = numbers.normals(shape.M, shape.N);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        const VbOptions options = on_off_options(shape, 2);  // one tempered sweep, at the signals' own precision
        ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 2);
        ASSERT_TRUE(pass.gaps());
        OnOffVb learner(pass, options);
        learner.start(start, 5.0);
        OnOffBruteForce brute(Y, unit_columns(start), options);
        for (int sweep = 0; sweep < 5; ++sweep) {
            SCOPED_TRACE(sweep);
            const OnOffPosterior before = learner.posterior();
            brute.divergence = before.divergence;
            brute.update_codes();
            brute.update_usage();
            brute.update_code_precision();
            if (sweep > 0) brute.update_noise();
            const VbSweepResult got = learner.sweep();
            const OnOffPosterior& q = learner.posterior();
            EXPECT_LE(relative_error(got.gamma, brute.gamma), 1e-9);
            EXPECT_LE(relative_error(q.codes.mean(), brute.tau), 1e-9);
            EXPECT_LE(relative_error(q.users, brute.w.rowwise().sum()), 1e-9);
            EXPECT_LE(relative_error(learner.code_energy(), brute.second_moment().rowwise().sum()), 1e-9);
            if (sweep > 0) {
                EXPECT_NEAR(got.bound, brute.bound(), 1e-9 * std::max(1.0, std::abs(brute.bound())));
            }
            const Mat weight = brute.gamma * brute.P * brute.second_moment().transpose();
            for (Eigen::Index n = 0; n < shape.N; ++n) {
                const Mat left = brute.P.cwiseProduct(brute.Y - brute.D * brute.x + brute.D.col(n) * brute.x.row(n));
                const SphereFactor want =
                    best_gappy_atom(brute.gamma * left * brute.x.row(n).transpose(), weight.col(n),
                                    {unit_columns(brute.D).col(n), before.concentration[n]});
                EXPECT_LE((q.atoms.col(n) - want.mean()).norm(), 1e-7);
                EXPECT_LE((q.entry_var.col(n) - want.variance()).norm(), 1e-6);
                brute.D.col(n) = q.atoms.col(n);
                brute.var.col(n) = q.entry_var.col(n);
            }
        }
    }
}

// The reference kernel leaves out what is missing: a signal is coded as if its other entries were all there is.
TEST(VbGaps, CodesWithThePapersPriorAreThoseOfTheObservedEntries) {
    Numbers numbers(74);
    BlockProblem problem = random_problem({6, 4, 5}, 75);
    problem.Y += random_gaps(6, 5, 0.4, numbers);
    const Vec atom_var = numbers.spread(4, 1, -3.0, -1.0);
    const Mat entry_var = Vec::Ones(6) * atom_var.transpose();
    for (const std::string& name : kernel_set_names()) {
        const auto kernel = kernel_set(name).vb();
        for (Eigen::Index l = 0; l < 5; ++l) {
            const Vec kept = seen(problem.Y.col(l));
            BlockProblem one = problem, fewer = problem;
            one.Y = problem.Y.col(l);
            one.code_var = fewer.code_var = problem.code_var.col(l);
            fewer.D.resize(static_cast<Eigen::Index>(kept.sum()), 4);
            fewer.Y.resize(fewer.D.rows(), 1);
            for (Eigen::Index m = 0, row = 0; m < 6; ++m) {
                if (kept[m] == 0.0) continue;
                fewer.Y(row, 0) = one.Y(m, 0);
                fewer.D.row(row++) = problem.D.row(m);
            }
            const VbSweep sweep{.noise_precision = problem.gamma, .code_prior = problem.code_prior};
            VbSweep gappy = sweep, whole = sweep;
            gappy.dictionary = &one.D;
            gappy.entry_var = &entry_var;
            whole.dictionary = &fewer.D;
            whole.atom_var = &atom_var;
            kernel->begin_sweep(gappy);
            const BlockResult got = run_blocks(*kernel, one);
            kernel->begin_sweep(whole);
            const BlockResult want = run_blocks(*kernel, fewer);
            EXPECT_LE(relative_error(got.codes, want.codes), 1e-10);
            EXPECT_LE(relative_error(got.codes_var, want.codes_var), 1e-10);
            EXPECT_LE(relative_error(got.code_var, want.code_var), 1e-10);
            EXPECT_LE(relative_error(got.stats.residual_sq, want.stats.residual_sq), 1e-10);
            EXPECT_LE(relative_error(got.stats.x_xt, want.stats.x_xt), 1e-10);
            EXPECT_NEAR(got.stats.objective.log_det_cov, want.stats.objective.log_det_cov, 1e-10);
        }
    }
}

// Every row of the dictionary is updated from the signals in which it is observed, as if there were no others.
TEST(VbGaps, AtomsWithThePapersPriorFollowFromEachRowsOwnSignals) {
    Numbers numbers(76);
    const Mat Y = numbers.normals(3, 140) + random_gaps(3, 140, 0.5, numbers);
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    ThreadPass pass = pass_over(source, 1.0, 4, 2);
    DictionaryPosterior q{numbers.normals(3, 4), Vec(), Mat(), numbers.spread(3, 4, -3.0, -1.0)};
    const Vec ones = Vec::Ones(4);
    pass.begin_record();
    const SufficientStats stats = pass.sweep(
        VbSweep{.dictionary = &q.mean, .entry_var = &q.gappy_var, .noise_precision = 3.0, .code_prior = {0.5, 0.1}},
        &ones);
    const CodeRecord record = pass.take_record();
    const Mat mu = as_columns(record.mean()), std = as_columns(record.std());
    EXPECT_LE(relative_error(stats.y_xt, observed(Y) * mu.transpose()), 1e-10);
    for (Eigen::Index m = 0; m < 3; ++m) {
        const Vec diagonal = (mu.cwiseAbs2() + std.cwiseAbs2()) * seen(Y).row(m).transpose();
        const Mat G = Eigen::Map<const Mat>(stats.seen_xt.col(m).data(), 4, 4);
        EXPECT_LE(relative_error(Vec(G.diagonal()), diagonal), 1e-10);

        SufficientStats own(1, 4);
        own.y_xt = stats.y_xt.row(m);
        own.x_xt = G;
        DictionaryPosterior row{q.mean.row(m), Vec::Zero(4), Mat(), Mat()};
        update_atoms_in_turn(own, 3.0, 2.0, row);
        DictionaryPosterior all = q;
        update_gappy_atoms_in_turn(stats, 3.0, 2.0, all);
        EXPECT_LE(relative_error(Mat(all.mean.row(m)), row.mean), 1e-10);
        EXPECT_LE(relative_error(Vec(all.gappy_var.row(m).transpose()), row.atom_var), 1e-10);
    }
}

TEST(VbGaps, FindsDictionaryAndNoiseAndFillsTheGaps) {
    const SynthSet truth = easy_set(500);
    const Matrix gappy = with_random_gaps(truth.signals, 0.3);
    VbOptions options = VbOptions::preset(Preset::standard, 12);
    options.start_sweeps = 400;
    options.closing_sweeps = 200;
    options.most_start_sweeps = options.most_closing_sweeps = 0;
    const TrainResult result =
        train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 2, .reconstruct = true});
    EXPECT_EQ(score_dictionary(truth.dictionary, result.model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_NEAR(result.model.noise_sd / truth.noise_sd, 1.0, 0.06);
    const Mat clean = as_columns(truth.dictionary) * as_columns(truth.codes);
    const Mat lost = Mat::Ones(clean.rows(), clean.cols()) - seen(as_columns(gappy));
    const Mat error = (as_columns(result.reconstruction) - clean).cwiseProduct(lost);
    EXPECT_LT(error.squaredNorm() / clean.cwiseProduct(lost).squaredNorm(), 0.1);
}

TEST(VbGaps, AMaskWithoutGapsChangesNothing) {
    const SynthSet truth = easy_set(150);
    const Matrix ones(150, 10, 1.0);
    const MemorySource signals(truth.signals), mask(ones);
    for (const CodePrior of_codes : {CodePrior::on_off, CodePrior::student_t}) {
        VbOptions options = short_vb(12);
        options.prior = of_codes;
        expect_same_model(train(MaskedSource(signals, mask), options).model, train(signals, options).model);
    }
}

TEST(VbGaps, UnitsDoNotMatter) {
    const Matrix gappy = with_random_gaps(easy_set(150).signals, 0.3);
    Matrix scaled = gappy;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 0x1p40;
    for (const CodePrior of_codes : {CodePrior::on_off, CodePrior::student_t}) {
        VbOptions options = short_vb(12);
        options.prior = of_codes;
        const Model own = train(MemorySource{gappy}, options).model, large = train(MemorySource{scaled}, options).model;
        EXPECT_EQ(values_of(own.dictionary), values_of(large.dictionary));
        EXPECT_EQ(0x1p40 * own.noise_sd, large.noise_sd);
    }
}

// The coder of the paper's prior codes signals with gaps from what is observed.
TEST(VbGaps, EncodeTakesThemWithAModelOfThePapersPrior) {
    const SynthSet truth = easy_set(200);
    VbOptions options = short_vb(12);
    options.prior = CodePrior::student_t;
    Model model = train(MemorySource{truth.signals}, options).model;
    const Matrix gappy = with_random_gaps(truth.signals, 0.3);
    const Codes some = encode(model, gappy, PosteriorCoderOptions{});
    const Codes none = encode(model, truth.signals, PosteriorCoderOptions{});
    for (std::size_t l = 0; l < gappy.rows(); ++l) {
        bool whole = true, same = true;
        for (std::size_t m = 0; m < gappy.cols(); ++m) whole = whole && !std::isnan(gappy(l, m));
        for (std::size_t n = 0; n < 12; ++n) {
            ASSERT_TRUE(std::isfinite(some.dense(l, n)));
            same = same && std::abs(some.dense(l, n) - none.dense(l, n)) <= 1e-6;
        }
        EXPECT_EQ(same, whole) << l;
    }
}

TEST(VbGaps, WhatItCannotDoIsRefused) {
    const Matrix gappy = with_random_gaps(easy_set(60).signals, 0.3);
    VbOptions options = short_vb(12);
    options.closing_sweeps = 0;
    expect_error<InputError>([&] { train(MemorySource{gappy}, options, {.reconstruct = true}); },
                             {"vb", "reconstruct", "closing"});
    options.prior = CodePrior::student_t;
    options.update = DictionaryUpdate::joint;
    expect_error<InputError>([&] { train(MemorySource{gappy}, options); }, {"update is joint", "sequential", "NaN"});
    const Matrix nothing(4, 3, std::numeric_limits<double>::quiet_NaN());
    expect_error<InputError>([&] { train(MemorySource{nothing}, short_vb(2)); }, {"every entry", "missing"});
}

TEST(SweepsWithGaps, GrowWithTheShareThatIsMissing) {
    const auto sweeps = [](double share, int most) {
        Matrix rows(10, 10, 1.0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(std::lround(100.0 * share)); ++i)
            rows.data()[11 * i % 100] = std::numeric_limits<double>::quiet_NaN();
        const MemorySource source{rows};
        return sweeps_with_gaps(900, most, source, scan_signals(source, MissingValues::allowed));
    };
    EXPECT_EQ(sweeps(0.0, 4500), 900);
    EXPECT_EQ(sweeps(0.5, 4500), 2700);
    EXPECT_EQ(sweeps(0.3, 4500), 1671);
    EXPECT_EQ(sweeps(0.9, 4500), 4500);
    EXPECT_EQ(sweeps(0.5, 0), 900);
    EXPECT_EQ(sweeps(0.5, 800), 900);
}

// Only a burn-in that was not set becomes longer, and only with gaps; the trace has every sweep.
TEST(SweepsWithGaps, AreMadeByEveryMethodThatSearches) {
    const Matrix whole = easy_set(40).signals, gappy = with_random_gaps(whole, 0.5);
    double missing = 0.0;
    for (std::size_t i = 0; i < gappy.size(); ++i) missing += std::isnan(gappy.data()[i]) ? 1.0 / 400.0 : 0.0;
    const int longer = static_cast<int>(std::lround(20 * (1.0 + missing) / (1.0 - missing)));
    GibbsOptions gibbs = short_gibbs(12);
    gibbs.burn_in = 20;
    gibbs.most_burn_in = 100;
    gibbs.most_draws = 0;
    BpfaOptions bpfa = BpfaOptions::preset(Preset::standard, 12);
    bpfa.burn_in = 20;
    bpfa.draws = 8;
    VbOptions vb = short_vb(12);
    vb.start_sweeps = 20;
    vb.most_start_sweeps = 100;
    vb.tolerance = 0.0;
    const std::vector<std::pair<AnyOptions, int>> runs{{gibbs, 8}, {bpfa, 8}, {vb, 60}};
    for (const auto& [options, others] : runs) {
        SCOPED_TRACE(options.method());
        EXPECT_EQ(train(MemorySource{whole}, options).sweeps, 20 + others);
        EXPECT_EQ(train(MemorySource{gappy}, options).sweeps, longer + others);
    }
}

}  // namespace
}  // namespace sbdl::test
