// Stochastic variational Bayes: a step against the equations (X1, W1 to W5), a stream against its parts, and a
// dictionary to be found in one pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/compute_scope.hpp"
#include "learners/svb/svb_learner.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/score.hpp"
#include "sbdl/settling.hpp"
#include "sbdl/svb.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"
#include "support/temp_folder.hpp"
#include "unit/learners/on_off_brute_force.hpp"

namespace sbdl::test {
namespace {

SvbOptions svb_like(const VbOptions& vb, int batch) {
    SvbOptions options = SvbOptions::preset(Preset::standard, vb.atoms);
    options.batch = batch;
    options.usage_on = vb.usage_on;
    options.usage_off = vb.usage_off;
    options.slab_shape = vb.slab_shape;
    options.slab_rate = vb.slab_rate;
    options.noise_shape = vb.noise_shape;
    options.noise_rate = vb.noise_rate;
    return options;
}

/// The codes of a batch as svb finds them: all zero, then sweeps with rising noise precision, everything else fixed.
void code_anew(OnOffBruteForce& brute, const SvbOptions& options) {
    const double gamma = brute.gamma;
    brute.x.setZero();
    for (int sweep = 0; sweep < options.code_sweeps; ++sweep) {
        brute.gamma = std::pow(gamma, std::min(1.0, sweep / (options.code_sweeps - 2.0)));
        brute.update_codes();
    }
}

// With all signals in the batch the first step, of length 1, is a sweep of vb, and so is every later one if the steps
// do not become smaller.
TEST(Svb, AStepWithAllSignalsIsASweepOfVb) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{4, 2, 7}, Shape{4, 6, 5}, Shape{2, 1, 1}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        Numbers numbers(63);
        const Mat Y = numbers.normals(shape.M, shape.L), start = numbers.normals(shape.M, shape.N);
        const VbOptions vb = on_off_options(shape, 2);
        SvbOptions options = svb_like(vb, static_cast<int>(shape.L));
        options.decay = 0.0;
        const auto L = static_cast<double>(shape.L);
        SvbLearner learner(options, start, 5.0, L, 1);
        OnOffBruteForce brute(Y, unit_columns(start), vb);
        brute.gamma = 5.0;
        brute.tau = 3.0 / static_cast<double>(shape.M);
        brute.log_tau = std::log(brute.tau);
        for (int step = 0; step < 3; ++step) {
            SCOPED_TRACE(step);
            code_anew(brute, options);
            brute.update_usage();
            brute.update_code_precision();
            brute.update_noise();
            const double bound = brute.bound();
            brute.update_atoms();

            learner.begin_tally();
            EXPECT_EQ(learner.learn(Y), 0);
            const OnOffPosterior& q = learner.posterior();
            EXPECT_NEAR(learner.bound(L), bound, 1e-9 * std::max(1.0, std::abs(bound)));
            EXPECT_LE(relative_error(q.noise.mean(), brute.gamma), 1e-9);
            EXPECT_LE(relative_error(q.codes.mean(), brute.tau), 1e-9);
            EXPECT_LE(relative_error(q.atoms, brute.D), 1e-9);
            EXPECT_LE(relative_error(q.concentration, brute.kappa), 1e-9);
            EXPECT_LE(relative_error(q.users, brute.w.rowwise().sum()), 1e-9);
            EXPECT_LE(relative_error(learner.remembered(), L), 1e-12);
        }
    }
}

TEST(Svb, AStepWeighsTheBatchAgainstWhatIsRemembered) {
    const ComputeScope scope;
    const Shape shape{4, 6, 40};
    Numbers numbers(64);
    const Mat Y = numbers.normals(shape.M, 2 * shape.L), start = numbers.normals(shape.M, shape.N);
    const Mat first = Y.leftCols(shape.L), second = Y.rightCols(shape.L);
    SvbOptions options = svb_like(on_off_options(shape, 2), static_cast<int>(shape.L));
    options.delay = 2.0;
    options.decay = 0.7;
    SvbLearner learner(options, start, 5.0, 80.0, 1);
    learner.learn(first);
    Model before, after;
    learner.save(before);
    BatchPosterior batch(shape.M, shape.N, options.code_sweeps, 1);
    const SufficientStats& stats = batch.code(second, learner.posterior());
    learner.learn(second);
    learner.save(after);
    const double step = std::pow(1.5, -0.7);
    // The variance of a weighted mean of single signals: 40 have the weight step / 40, and 40 the rest.
    const double worth = 40.0 / (step * step + (1.0 - step) * (1.0 - step));
    EXPECT_LE(relative_error(learner.remembered(), worth), 1e-12);
    EXPECT_EQ(after.svb->steps, 2.0);
    const auto blend = [&](const Mat& older, const Mat& newer) -> Mat {
        return worth / 40.0 * ((1.0 - step) * older + step * newer);
    };
    EXPECT_LE(relative_error(Mat(as_columns(after.stream.code_products)),
                             blend(as_columns(before.stream.code_products), stats.x_xt)),
              1e-12);
    EXPECT_LE(relative_error(Mat(as_columns(after.stream.signal_products)),
                             blend(as_columns(before.stream.signal_products), stats.y_xt)),
              1e-12);
    EXPECT_LE(relative_error(Vec(Eigen::Map<const Vec>(after.svb->users.data(), shape.N)),
                             Vec(blend(Eigen::Map<const Vec>(before.svb->users.data(), shape.N), stats.users))),
              1e-12);
    EXPECT_LE(relative_error(after.svb->residual_sq,
                             worth / 40.0 * ((1.0 - step) * before.svb->residual_sq + step * stats.residual_sq)),
              1e-12);
    // q is the optimum of these statistics.
    EXPECT_LE(relative_error(learner.posterior().noise.rate, options.noise_rate + 0.5 * after.svb->residual_sq), 1e-12);
    EXPECT_LE(relative_error(learner.posterior().noise.shape, options.noise_shape + 0.5 * worth * 4.0), 1e-12);
}

/// Signals are a stream of their own: found in one pass.
struct OnePass {
    SynthSet truth = easy_set(12'000, 20.0);
    SvbOptions options = [] {
        SvbOptions chosen = SvbOptions::preset(Preset::standard, 12);
        chosen.batch = 128;
        chosen.start_signals = 400;
        return chosen;
    }();
    [[nodiscard]] Model learned(int threads = 1, std::uint64_t seed = 3) const {
        return train(MemorySource{truth.signals}, options, {.execution = {.threads = threads}, .seed = seed}).model;
    }
};

TEST(Svb, FindsADictionaryInOnePass) {
    const OnePass set;
    const Model model = set.learned();
    EXPECT_EQ(score_dictionary(set.truth.dictionary, model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_NEAR(model.noise_sd / set.truth.noise_sd, 1.0, 0.05);
    EXPECT_EQ(model.stream.signals_seen, 12'000u);
    EXPECT_EQ(model.svb->signals, 12'000.0);
    EXPECT_GT(model.svb->remembered, 6'000.0);
    EXPECT_LT(model.svb->remembered, 12'000.0);
    for (const double probability : model.on_off->atom_probability) EXPECT_NEAR(probability, 2.0 / 12.0, 0.05);
    EXPECT_TRUE(std::isfinite(model.trace.objective.at(0)));
    const Settling settling = judge_settling(model);
    EXPECT_EQ(settling.settled, Settled::unknown);
    EXPECT_NE(settling.reason.find("too small"), std::string::npos);
    EXPECT_TRUE(has_code_posterior(model));
}

TEST(Svb, ThreadsChangeNothingAndSeedsAreUsedParallel) {
    OnePass set;
    set.truth = easy_set(1500);
    set.options.keep_codes = true;
    set.options.batch = 700;
    const Model one = set.learned(1), three = set.learned(3);
    EXPECT_EQ(values_of(one.dictionary), values_of(three.dictionary));
    EXPECT_EQ(values_of(one.codes), values_of(three.codes));
    EXPECT_EQ(one.noise_sd, three.noise_sd);
    EXPECT_EQ(one.trace.objective, three.trace.objective);
    EXPECT_NE(values_of(one.dictionary), values_of(set.learned(1, 4).dictionary));
}

TEST(Svb, ChunksOfAStreamAreLearnedLikeTheWhole) {
    const SynthSet truth = easy_set(1536);
    const MatrixView all = truth.signals;
    const TempFolder folder;
    SvbOptions options = SvbOptions::preset(Preset::standard, 12);
    options.batch = 64;
    options.start_sweeps = 20;
    const auto go_on = [&](std::size_t first, std::size_t count, const Model* start) {
        const MemorySource chunk{MatrixView{all.data + first * all.cols, count, all.cols}};
        return train(chunk, options, {.execution = {.threads = 1}, .start = start}).model;
    };
    const Model first = go_on(0, 256, nullptr);
    const Model whole = go_on(256, 1280, &first);
    Model parts = first;
    for (std::size_t begin = 256; begin < 1536; begin += 128) {
        save_model(go_on(begin, 128, &parts), folder / "model.h5");
        parts = load_model(folder / "model.h5");
    }
    EXPECT_EQ(parts.stream.signals_seen, 1536u);
    EXPECT_EQ(parts.svb->signals, 1536.0);
    EXPECT_NEAR(parts.svb->remembered, whole.svb->remembered, 1e-6);
    for (std::size_t i = 0; i < whole.dictionary.size(); ++i) {
        EXPECT_NEAR(parts.dictionary.data()[i], whole.dictionary.data()[i], 1e-7) << i;
        EXPECT_NEAR(parts.dictionary_std.data()[i], whole.dictionary_std.data()[i], 1e-7) << i;
    }
}

// A run of few signals does not know whether others follow; the next one does.
TEST(Svb, WarnsOfAStreamThatBeganWithFewSignals) {
    const SynthSet truth = easy_set(500);
    const MemorySource some{truth.signals};
    SvbOptions options = SvbOptions::preset(Preset::standard, 12);
    options.start_sweeps = 4;
    options.start_signals = 400;
    const auto run = [&](const Model* start) { return train(some, options, {.start = start}); };
    const TrainResult enough = run(nullptr);
    EXPECT_TRUE(enough.warnings.empty());
    EXPECT_TRUE(run(&enough.model).warnings.empty());
    options.start_signals = 501;
    const TrainResult first = run(nullptr);
    EXPECT_TRUE(first.warnings.empty());
    const TrainResult second = run(&first.model);
    ASSERT_EQ(second.warnings.size(), 1U);
    EXPECT_EQ(
        second.warnings[0],
        "the stream began with 500 signals; without a model to start from, svb finds its start in these, and should "
        "have at least 501 (start_signals is 501, and each of 12 atoms needs 20): begin anew with more of them at "
        "once");
    EXPECT_TRUE(run(&second.model).warnings.empty()) << "once is enough";
    options.start_sweeps = 0;
    EXPECT_TRUE(run(&first.model).warnings.empty());
}

// Repeating signals makes nothing more certain than all of them can.
TEST(Svb, PassesCountEachSignalOnce) {
    const SynthSet truth = easy_set(512);
    SvbOptions options = SvbOptions::preset(Preset::standard, 12);
    options.batch = 128;
    options.sweeps = 20;
    options.delay = 1.0;
    const Model model = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}}).model;
    EXPECT_EQ(model.stream.signals_seen, 20u * 512u);
    EXPECT_EQ(model.svb->signals, 512.0);
    EXPECT_LE(model.svb->remembered, 512.0);
    EXPECT_EQ(model.trace.objective.size(), 20u);
    EXPECT_GT(model.trace.objective.back(), model.trace.objective.front());
}

TEST(Svb, StartsFromTheDictionaryOfAnyModel) {
    const SynthSet truth = easy_set(3000);
    Model known;
    known.method = "ksvd";
    known.dictionary = truth.dictionary;
    for (std::size_t m = 0; m < 10; ++m) known.dictionary(11, m) = known.dictionary(10, m);  // one is a copy
    known.atom_usage.assign(12, 0.4);
    known.atom_norm.assign(12, 1.0);
    known.noise_sd = truth.noise_sd;
    SvbOptions options = SvbOptions::preset(Preset::standard, 12);
    options.batch = 20;
    const auto distances = [&] {
        const Model model =
            train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}, .start = &known}).model;
        return score_dictionary(truth.dictionary, model.dictionary, 0.05).nearest_distance;
    };
    std::vector<double> found = distances();
    EXPECT_LT(found.back(), 0.1) << "the one that was missing takes the place of the copy, and is on its way";
    found.pop_back();
    EXPECT_LT(*std::max_element(found.begin(), found.end()), 0.01);
    options.duplicate_correlation = 1.0;
    EXPECT_GT(distances().back(), 0.2) << "nothing is replaced";
}

// Five atoms in signals of 20 entries: a shorter sampler leaves many codes with wrong atoms, and what they miss counts
// as noise. With 40 sweeps in all it was found 4 % too large, ten standard deviations.
TEST(Svb, TheNoiseIsAsCloseAsItsStandardDeviationSays) {
    const SynthSet truth = synthesize({.signals = 10'000, .sparsity_min = 5, .sparsity_max = 5, .seed = 1});
    Model known;
    known.method = "ksvd";
    known.dictionary = truth.dictionary;
    known.atom_usage.assign(50, 0.4);
    known.atom_norm.assign(50, 1.0);
    known.noise_sd = truth.noise_sd;
    SvbOptions options = SvbOptions::preset(Preset::standard, 50);
    const auto learned = [&] {
        return train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}, .start = &known}).model;
    };
    const Model model = learned();
    EXPECT_EQ(score_dictionary(truth.dictionary, model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_LT(std::abs(model.noise_sd - truth.noise_sd), 4.0 * model.noise_sd_std);
    // 2000 signals are used, and what their codes leave open adds to what 15 of their 20 entries leave of the noise.
    const double least = model.noise_sd / std::sqrt(2.0 * 2000.0 * 15.0);
    EXPECT_GT(model.noise_sd_std, 0.95 * least);
    EXPECT_LT(model.noise_sd_std, 2.0 * least);
    options.reestimate_noise = false;
    EXPECT_TRUE(std::isnan(learned().noise_sd_std)) << "that of the approximation would be far too small";
}

TEST(Svb, KeepsTheMomentsOfTheCodes) {
    const SynthSet truth = easy_set(300);
    SvbOptions options = SvbOptions::preset(Preset::standard, 12);
    options.batch = 100;
    options.sweeps = 10;
    options.keep_codes = true;
    const Model model = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}}).model;
    ASSERT_EQ(model.codes.rows(), 300u);
    const Mat left = as_columns(truth.signals) - as_columns(model.dictionary) * as_columns(model.codes);
    EXPECT_LT(std::sqrt(left.squaredNorm() / 3000.0), 2.0 * truth.noise_sd);
    EXPECT_GT(*std::min_element(model.codes_std.data(), model.codes_std.data() + 3600), 0.0);
    const auto on = Eigen::Map<const Vec>(model.codes_probability.data(), 3600);
    EXPECT_GE(on.minCoeff(), 0.0);
    EXPECT_LE(on.maxCoeff(), 1.0);
    EXPECT_NEAR(on.sum() / 300.0, 2.0, 0.5);
    EXPECT_NE(judge_settling(model).reason.find("atoms and of the codes are those"), std::string::npos);
}

TEST(Svb, ZeroSignalsAndMoreAtomsThanSignals) {
    SvbOptions options = SvbOptions::preset(Preset::standard, 9);
    options.batch = 2;
    options.start_sweeps = 20;
    for (const Matrix& rows : {Matrix(30, 6), easy_set(5).signals, easy_set(1).signals}) {
        const Model model = train(MemorySource{rows}, options, {.execution = {.threads = 1}}).model;
        for (const double entry : values_of(model.dictionary)) EXPECT_TRUE(std::isfinite(entry));
        EXPECT_TRUE(std::isfinite(model.noise_sd));
        const TempFolder folder;
        EXPECT_NO_THROW(save_model(model, folder / "model.h5"));
    }
}

TEST(Svb, RefusesMissingEntriesAndBadOptions) {
    Matrix rows = easy_set(50).signals;
    rows(49, 3) = std::numeric_limits<double>::quiet_NaN();
    SvbOptions options = SvbOptions::preset(Preset::standard, 6);
    expect_error<InputError>([&] { train(MemorySource{rows}, options); }, {"row 49, column 3", "missing value"});
    options.decay = 1.5;
    expect_error<InputError>([&] { validate(options); }, {"decay is 1.5"});
    options.decay = 0.49;
    expect_error<InputError>([&] { validate(options); }, {"decay is 0.49", "at least 0.5"});
    options.decay = 0.5;
    EXPECT_NO_THROW(validate(options));
    options.delay = 0.0;
    expect_error<InputError>([&] { validate(options); }, {"delay is 0", "above 0"});
    options.delay = 1.0;
    options.code_sweeps = 1;
    expect_error<InputError>([&] { validate(options); }, {"code_sweeps is 1", "at least 2"});
}

}  // namespace
}  // namespace sbdl::test
