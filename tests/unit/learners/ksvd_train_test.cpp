// K-SVD as a whole: it finds a known dictionary, keeps its guarantees about codes and threads, and ends properly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "learners/rounds/rounds_run.hpp"
#include "model/model_check.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"
#include "support/sparse_checks.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

KsvdOptions short_ksvd(int atoms = 12, int sparsity = 2) {
    KsvdOptions options;
    options.atoms = atoms;
    options.sparsity = sparsity;
    options.sweeps = 12;
    return options;
}

// Fixed seeds, so nothing here is left to chance; over many sets about nine atoms in ten are found.
TEST(KsvdTrain, FindsAKnownDictionary) {
    const SynthSet set = synthesize({.signals = 1000, .snr_db = 30.0, .seed = 3});
    KsvdOptions options = short_ksvd(50, 3);
    options.sweeps = 60;
    for (const KsvdUpdate update : {KsvdUpdate::exact, KsvdUpdate::approximate}) {
        options.update = update;
        const TrainResult result = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 5});
        EXPECT_GE(score_dictionary(set.dictionary, result.model.dictionary).assigned_recovered, 42U)
            << to_string(update);
        EXPECT_EQ(result.reason, StopReason::sweeps_done);
        EXPECT_TRUE(result.warnings.empty());
    }
}

TEST(KsvdTrain, TheModelSaysWhatWasLearned) {
    const SynthSet set = easy_set();
    KsvdOptions options = short_ksvd();
    options.keep_codes = true;
    SweepReports observer;
    std::array<Observer*, 1> observers{&observer};
    const TrainResult result =
        train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 5}, observers);
    const Model& model = result.model;
    EXPECT_NO_THROW(check_model(model, "the model"));
    EXPECT_EQ(model.method, "ksvd");
    EXPECT_EQ(model.options_json, to_json(options));
    EXPECT_EQ(model.seed, 5U);
    EXPECT_EQ(model.signal_count, 300U);
    EXPECT_TRUE(model.dictionary_std.empty());
    EXPECT_TRUE(std::isnan(model.noise_sd_std));
    EXPECT_EQ(observer.plan.method, "ksvd");
    EXPECT_EQ(observer.plan.sweeps, 12);
    ASSERT_EQ(observer.reports.size(), 12U);

    double sum = 0.0, nonzeros = 0.0;
    for (const double error : errors_of(model, set.signals)) sum += error * error;
    EXPECT_NEAR(observer.reports.back().objective, sum, 1e-10 * sum) << "the codes belong to the dictionary";
    EXPECT_NEAR(model.noise_sd, std::sqrt(sum / (300.0 * 10.0)), 1e-12);
    EXPECT_EQ(observer.reports.back().noise_sd, model.noise_sd);
    EXPECT_EQ(observer.reports.back().atoms_refreshed, 0) << "nothing comes after the last";
    std::vector<int> sizes(3, 0);
    for (std::size_t l = 0; l < 300; ++l) {
        const auto code = model.codes.row(l);
        const auto size =
            static_cast<std::size_t>(std::count_if(code.begin(), code.end(), [](double x) { return x != 0.0; }));
        ASSERT_LE(size, 2U);
        ++sizes[size];
        nonzeros += double(size);
    }
    EXPECT_EQ(model.code_sizes, sizes);
    EXPECT_NEAR(observer.reports.back().mean_nonzeros, nonzeros / 300.0, 1e-12);
    for (std::size_t n = 0; n < 12; ++n) {
        double energy = 0.0;
        for (std::size_t l = 0; l < 300; ++l) energy += model.codes(l, n) * model.codes(l, n);
        EXPECT_NEAR(model.atom_usage[n], std::sqrt(energy / 300.0), 1e-12);
    }
}

// As coded, before atoms are refitted: refitting lowers the sum over an atom's users, but may raise one of them.
TEST(KsvdTrain, TheErrorIsKeptByEverySignalAndSmallSignalsTakeNoAtom) {
    SynthSet set = easy_set(200);
    for (double& entry : set.signals.row(3)) entry *= 1e-3;
    KsvdOptions options = short_ksvd();
    options.sparsity.reset();
    options.max_error = 0.3;
    options.keep_codes = true;
    const MemorySource source{set.signals};
    const auto learn = [&](const KsvdOptions& with) {
        return train(source, with, {.execution = {.threads = 1}}).model;
    };
    const auto code = [&](const Model& model) {
        return encode(model.dictionary, set.signals, OmpOptions{.max_error = 0.3}, {.execution = {.threads = 1}})
            .sparse;
    };
    KsvdOptions lasting = options;  // no atom is replaced, so a round codes with the atoms of the previous one
    lasting.duplicate_correlation = 1.0;
    lasting.least_users = 0;
    lasting.least_share = 0.0;
    for (int round = 1; round <= 3; ++round) {
        lasting.sweeps = round;
        const SparseCodes coded = code(learn(lasting));
        for (const double error : coded.residual_norm) EXPECT_LE(error, 0.3 * (1.0 + 1e-12));
        lasting.sweeps = round + 1;
        EXPECT_EQ(learn(lasting).code_sizes, code_sizes(coded));
    }
    const Model model = learn(options);
    for (const double error : code(model).residual_norm) EXPECT_LE(error, 0.3 * (1.0 + 1e-12));
    const auto small = model.codes.row(3);
    EXPECT_TRUE(std::all_of(small.begin(), small.end(), [](double x) { return x == 0.0; }));
    EXPECT_GT(model.code_sizes[0], 0);
}

TEST(KsvdTrain, TheSeedDecidesTheStart) {
    const SynthSet set = easy_set();
    const auto dictionary = [&](std::uint64_t seed) {
        return train(MemorySource{set.signals}, short_ksvd(), {.execution = {.threads = 1}, .seed = seed})
            .model.dictionary;
    };
    EXPECT_TRUE(same_entries(dictionary(1), dictionary(1)));
    EXPECT_FALSE(same_entries(dictionary(1), dictionary(2)));
}

TEST(KsvdTrain, ThreadsChangeNothing) {
    const SynthSet set = easy_set(420);  // four blocks, the last not full
    KsvdOptions options = short_ksvd();
    options.keep_codes = true;
    for (const KsvdUpdate update : {KsvdUpdate::exact, KsvdUpdate::approximate}) {
        options.update = update;
        const Model want = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 4}).model;
        for (const int threads : {2, 3}) {
            const Model got =
                train(MemorySource{set.signals}, options, {.execution = {.threads = threads}, .seed = 4}).model;
            EXPECT_TRUE(same_entries(got.dictionary, want.dictionary)) << threads;
            EXPECT_TRUE(same_entries(got.codes, want.codes)) << threads;
            EXPECT_EQ(got.trace.objective, want.trace.objective) << threads;
        }
    }
}

TEST(KsvdTrain, TheUnitsOfTheSignalsDoNotMatter) {
    const SynthSet plain = easy_set();
    const Model want = train(MemorySource{plain.signals}, short_ksvd(), {.execution = {.threads = 1}}).model;
    for (const double scale : {1e-150, 1e-3, 1e100}) {
        Matrix scaled = plain.signals;
        for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
        const Model got = train(MemorySource{scaled}, short_ksvd(), {.execution = {.threads = 1}}).model;
        for (std::size_t i = 0; i < want.dictionary.size(); ++i)
            ASSERT_NEAR(got.dictionary.data()[i], want.dictionary.data()[i], 1e-9) << scale;
        EXPECT_NEAR(got.noise_sd / scale, want.noise_sd, 1e-9);
    }
}

TEST(KsvdTrain, ASparsityThatNoCodeCanHaveIsLoweredAndSaid) {
    const SynthSet set = easy_set(60);
    const auto warnings = [&](int atoms, int sparsity) {
        return train(MemorySource{set.signals}, short_ksvd(atoms, sparsity), {.execution = {.threads = 1}}).warnings;
    };
    EXPECT_TRUE(warnings(12, 10).empty());
    EXPECT_EQ(warnings(12, 11),
              std::vector<std::string>{"sparsity is 11, more than the 10 entries of a signal; 10 was used instead"});
    EXPECT_EQ(warnings(4, 7), std::vector<std::string>{"sparsity is 7, more than the 4 atoms; 4 was used instead"});
}

TEST(KsvdTrain, AnErrorThatEverySignalMeetsIsSaid) {
    const SynthSet set = easy_set(60);
    KsvdOptions options = short_ksvd();
    options.sparsity.reset();
    options.max_error = 1e6;
    const TrainResult result = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}});
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings.front().find("max_error is 1000000"), std::string::npos) << result.warnings.front();
}

// All atoms start as copies of one. The copies have to be replaced, and the signals found.
TEST(KsvdTrain, DeadAndDuplicateAtomsAreReplaced) {
    const SynthSet set = easy_set();
    Model start;
    start.dictionary = Matrix(12, 10);
    for (std::size_t n = 0; n < 12; ++n) start.dictionary(n, 0) = n == 7 ? 0.0 : 2.0;
    KsvdOptions options = short_ksvd();
    options.sweeps = 40;
    SweepReports observer;
    std::array<Observer*, 1> observers{&observer};
    Context context{.execution = {.threads = 1}};
    context.start = &start;
    const Model model = train(MemorySource{set.signals}, options, context, observers).model;
    EXPECT_EQ(observer.reports.front().atoms_refreshed, 11);
    EXPECT_GE(score_dictionary(set.dictionary, model.dictionary).assigned_recovered, 8U) << "one atom serves none";

    options.least_users = 0;
    options.least_share = 0.0;
    options.duplicate_correlation = 1.0;
    const Model kept = train(MemorySource{set.signals}, options, context).model;
    for (std::size_t m = 0; m < 10; ++m) EXPECT_EQ(kept.dictionary(7, m), 0.0) << "nobody asked for a replacement";
}

TEST(KsvdTrain, GoesOnFromAModel) {
    const SynthSet set = easy_set();
    KsvdOptions options = short_ksvd();
    options.least_users = 0;
    options.least_share = 0.0;
    options.duplicate_correlation = 1.0;
    const MemorySource source{set.signals};
    const Model half = train(source, options, {.execution = {.threads = 1}, .seed = 2}).model;
    Context context{.execution = {.threads = 1}};
    context.start = &half;
    const Model rest = train(source, options, context).model;
    options.sweeps *= 2;
    const Model whole = train(source, options, {.execution = {.threads = 1}, .seed = 2}).model;
    EXPECT_NEAR(rest.noise_sd, whole.noise_sd, 1e-9);
    options.atoms = 11;
    expect_error<InputError>([&] { train(source, options, context); }, {"atoms is 11", "has 12"});
}

TEST(KsvdTrain, AnObserverOrTheClockStopsItWithWhatThereIs) {
    const SynthSet set = easy_set();
    KsvdOptions options = short_ksvd();
    options.keep_codes = true;
    SweepReports observer;
    observer.stop_at = 3;
    std::array<Observer*, 1> observers{&observer};
    const TrainResult stopped = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}, observers);
    EXPECT_EQ(stopped.reason, StopReason::observer);
    EXPECT_EQ(stopped.sweeps, 3);
    double sum = 0.0;
    for (const double error : errors_of(stopped.model, set.signals)) sum += error * error;
    EXPECT_NEAR(observer.reports.back().objective, sum, 1e-10 * sum) << "atoms were replaced after the codes";
    const TrainResult late =
        train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .time_limit_s = 1e-9});
    EXPECT_EQ(late.reason, StopReason::time_limit);
    EXPECT_EQ(late.sweeps, 1);
}

TEST(KsvdTrain, ItsModelSurvivesTheFile) {
    const SynthSet set = easy_set();
    KsvdOptions options = short_ksvd();
    options.keep_codes = true;
    const Model model = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}).model;
    const TempFolder folder;
    save_model(model, folder / "model.h5");
    const Model back = load_model(folder / "model.h5");
    EXPECT_EQ(back.method, "ksvd");
    EXPECT_EQ(back.options_json, model.options_json);
    EXPECT_EQ(back.noise_sd, model.noise_sd);
    EXPECT_EQ(back.atom_usage, model.atom_usage);
    EXPECT_EQ(back.code_sizes, model.code_sizes);
    EXPECT_EQ(back.trace.objective, model.trace.objective);
    EXPECT_TRUE(same_entries(back.dictionary, model.dictionary));
    EXPECT_TRUE(same_entries(back.codes, model.codes));
    EXPECT_TRUE(back.dictionary_std.empty());
}

TEST(KsvdTrain, SignalsThatAreHardlySignalsWork) {
    Matrix noise(40, 6);
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] = std::sin(double(i * i));
    Matrix lonely(25, 6);
    lonely(7, 2) = 1.0;
    for (const Matrix& rows :
         {Matrix(20, 6), Matrix(20, 6, 3.5), Matrix(1, 6), Matrix(1, 6, 2.0), Matrix(9, 1, -2.0), noise, lonely})
        for (const KsvdUpdate update : {KsvdUpdate::exact, KsvdUpdate::approximate})
            for (const bool by_error : {false, true}) {
                KsvdOptions options = short_ksvd(8, 1);
                options.update = update;
                if (by_error) {
                    options.sparsity.reset();
                    options.max_error = 1e-3;
                }
                const TrainResult result = train(MemorySource{rows}, options, {.execution = {.threads = 1}});
                EXPECT_NO_THROW(check_model(result.model, "the model"));
                for (std::size_t n = 0; n < 8; ++n) {
                    double norm2 = 0.0;
                    for (const double entry : result.model.dictionary.row(n)) norm2 += entry * entry;
                    EXPECT_NEAR(norm2, 1.0, 1e-12);
                }
            }
}

TEST(KsvdTrain, BadInputIsRejectedBeforeAnythingRuns) {
    SynthSet set = easy_set(20);
    const MemorySource source{set.signals};
    expect_error<InputError>([&] { train(source, KsvdOptions{}); }, {"atoms"});
    expect_error<InputError>([&] { train(source, short_ksvd(), {.execution = {.threads = -1}}); }, {"threads", "-1"});
    expect_error<InputError>([&] { train(source, short_ksvd(), {.time_limit_s = -1.0}); }, {"time_limit_s", "-1"});
    set.signals(2, 1) = std::numeric_limits<double>::quiet_NaN();
    expect_error<InputError>([&] { train(source, short_ksvd()); }, {"nan"});
}

}  // namespace
}  // namespace sbdl::test
