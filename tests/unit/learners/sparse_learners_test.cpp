// What all learners with rounds and sparse codes guarantee: known dictionaries are found, seeds are used, threads and
// units do not matter, runs can be stopped and continued, dead atoms are replaced, models survive the file. (K-SVD has
// its own test file.)
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "model/model_check.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/error.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/score.hpp"
#include "sbdl/simco.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/sparse_checks.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

/// The required options of each for signals of the easy set, times `scale`.
void tell(ModOptions& options, double) {
    options.sparsity = 2;
}
void tell(SimcoOptions& options, double) {
    options.sparsity = 2;
    options.steps = 2;
}
void tell(MajorizationOptions& options, double scale) {
    options.lambda = 0.2 * scale;
}
void tell(ApruOptions& options, double scale) {
    options.lambda = 0.2 * scale;
    options.lambda_s = 0.15 * scale;
}

template <class Options>
class SparseLearners : public testing::Test {
protected:
    static Options short_run(int atoms = 12, double scale = 1.0) {
        Options options = Options::preset(Preset::standard, atoms);
        options.sweeps = 12;
        tell(options, scale);
        return options;
    }
    static Model learn(const Matrix& signals, const Options& options,
                       const Context& context = {.execution = {.threads = 1}}) {
        return train(MemorySource{signals}, options, context).model;
    }
};
using SparseOptions = testing::Types<ModOptions, SimcoOptions, MajorizationOptions, ApruOptions>;
class SparseNames {
public:
    template <class Options>
    static std::string GetName(int) {
        if (std::is_same_v<Options, ModOptions>) return "mod";
        if (std::is_same_v<Options, SimcoOptions>) return "simco";
        return std::is_same_v<Options, MajorizationOptions> ? "majorization" : "apru";
    }
};
TYPED_TEST_SUITE(SparseLearners, SparseOptions, SparseNames);

// Fixed seeds, so nothing here is left to chance; over many sets all find nine atoms in ten.
TYPED_TEST(SparseLearners, FindAKnownDictionary) {
    const SynthSet set = synthesize({.signals = 1000, .snr_db = 30.0, .seed = 3});
    TypeParam options = this->short_run(50);
    if constexpr (requires { options.sparsity; }) options.sparsity = 3;
    options.sweeps = 60;
    const TrainResult result = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 5});
    EXPECT_GE(score_dictionary(set.dictionary, result.model.dictionary).assigned_recovered, 40U);
    EXPECT_EQ(result.reason, StopReason::sweeps_done);
    EXPECT_TRUE(result.warnings.empty());
}

TYPED_TEST(SparseLearners, TheModelSaysWhatWasLearned) {
    const SynthSet set = easy_set();
    TypeParam options = this->short_run();
    options.keep_codes = true;
    SweepReports observer;
    std::array<Observer*, 1> observers{&observer};
    const TrainResult result =
        train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 5}, observers);
    const Model& model = result.model;
    EXPECT_NO_THROW(check_model(model, "the model"));
    EXPECT_EQ(model.method, SparseNames::GetName<TypeParam>(0));
    EXPECT_EQ(observer.plan.method, model.method);
    EXPECT_EQ(model.options_json, to_json(options));
    EXPECT_EQ(model.seed, 5U);
    EXPECT_TRUE(model.dictionary_std.empty());
    ASSERT_EQ(observer.reports.size(), 12U);

    double sum = 0.0;
    for (const double error : errors_of(model, set.signals)) sum += error * error;
    EXPECT_NEAR(model.noise_sd, std::sqrt(sum / (300.0 * 10.0)), 1e-10) << "codes and dictionary belong together";
    EXPECT_EQ(observer.reports.back().noise_sd, model.noise_sd);
    EXPECT_EQ(observer.reports.back().atoms_refreshed, 0) << "nothing comes after the last";
    std::vector<int> sizes;
    double nonzeros = 0.0;
    bool positive = false, negative = false;
    for (std::size_t l = 0; l < 300; ++l) {
        std::size_t size = 0;
        for (const double x : model.codes.row(l)) {
            size += x != 0.0 ? 1U : 0U;
            positive = positive || x > 0.0;
            negative = negative || x < 0.0;
        }
        if (size >= sizes.size()) sizes.resize(size + 1, 0);
        ++sizes[size];
        nonzeros += double(size);
    }
    EXPECT_EQ(model.code_sizes, sizes);
    EXPECT_NEAR(observer.reports.back().mean_nonzeros, nonzeros / 300.0, 1e-12);
    EXPECT_TRUE(positive && negative) << "codes of both signs";
}

TYPED_TEST(SparseLearners, TheSeedDecidesTheStart) {
    const SynthSet set = easy_set();
    const auto dictionary = [&](std::uint64_t seed) {
        return this->learn(set.signals, this->short_run(), {.execution = {.threads = 1}, .seed = seed}).dictionary;
    };
    EXPECT_TRUE(same_entries(dictionary(1), dictionary(1)));
    EXPECT_FALSE(same_entries(dictionary(1), dictionary(2)));
}

TYPED_TEST(SparseLearners, ThreadsChangeNothing) {
    const SynthSet set = easy_set(1100);  // several parts and blocks, the last not full
    TypeParam options = this->short_run();
    options.sweeps = 4;
    options.keep_codes = true;
    const Model want = this->learn(set.signals, options, {.execution = {.threads = 1}, .seed = 4});
    for (const int threads : {2, 3}) {
        const Model got = this->learn(set.signals, options, {.execution = {.threads = threads}, .seed = 4});
        EXPECT_TRUE(same_entries(got.dictionary, want.dictionary)) << threads;
        EXPECT_TRUE(same_entries(got.codes, want.codes)) << threads;
        EXPECT_EQ(got.trace.objective, want.trace.objective) << threads;
    }
}

TYPED_TEST(SparseLearners, TheUnitsOfTheSignalsDoNotMatter) {
    const SynthSet plain = easy_set();
    TypeParam options = this->short_run();
    options.sweeps = 5;
    const Model want = this->learn(plain.signals, options);
    for (const double scale : {1e-150, 1e-3, 1e100}) {
        Matrix scaled = plain.signals;
        for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
        TypeParam alike = this->short_run(12, scale);
        alike.sweeps = 5;
        const Model got = this->learn(scaled, alike);
        for (std::size_t i = 0; i < want.dictionary.size(); ++i)
            ASSERT_NEAR(got.dictionary.data()[i], want.dictionary.data()[i], 1e-7) << scale;
        EXPECT_NEAR(got.noise_sd / scale, want.noise_sd, 1e-7);
    }
}

// All atoms start as copies of one. The copies have to be replaced, and the signals found.
TYPED_TEST(SparseLearners, ReplaceDeadAndDuplicateAtoms) {
    const SynthSet set = easy_set();
    Model start;
    start.dictionary = Matrix(12, 10);
    for (std::size_t n = 0; n < 12; ++n) start.dictionary(n, 0) = n == 7 ? 0.0 : 2.0;
    TypeParam options = this->short_run();
    options.sweeps = 40;
    SweepReports observer;
    std::array<Observer*, 1> observers{&observer};
    Context context{.execution = {.threads = 1}};
    context.start = &start;
    const Model model = train(MemorySource{set.signals}, options, context, observers).model;
    EXPECT_GT(observer.reports.front().atoms_refreshed, 0);
    EXPECT_GE(score_dictionary(set.dictionary, model.dictionary).assigned_recovered, 8U);
    for (std::size_t n = 0; n < 12; ++n) {
        double norm2 = 0.0;
        for (const double entry : model.dictionary.row(n)) norm2 += entry * entry;
        EXPECT_NEAR(norm2, 1.0, 1e-12);
    }
}

TYPED_TEST(SparseLearners, GoOnFromAModel) {
    const SynthSet set = easy_set();
    const MemorySource source{set.signals};
    TypeParam options = this->short_run();
    options.sweeps = 25;
    const Model half = train(source, options, {.execution = {.threads = 1}, .seed = 2}).model;
    Context context{.execution = {.threads = 1}};
    context.start = &half;
    options.sweeps = 1;
    const Model next = train(source, options, context).model;
    EXPECT_LE(next.noise_sd, 1.2 * half.noise_sd) << "it did not begin where the model ended";
    options.atoms = 11;
    expect_error<InputError>([&] { train(source, options, context); }, {"atoms is 11", "has 12"});
}

TYPED_TEST(SparseLearners, AnObserverOrTheClockStopsThemWithWhatThereIs) {
    const SynthSet set = easy_set();
    TypeParam options = this->short_run();
    options.keep_codes = true;
    SweepReports observer;
    observer.stop_at = 3;
    std::array<Observer*, 1> observers{&observer};
    const TrainResult stopped = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}, observers);
    EXPECT_EQ(stopped.reason, StopReason::observer);
    EXPECT_EQ(stopped.sweeps, 3);
    double sum = 0.0;
    for (const double error : errors_of(stopped.model, set.signals)) sum += error * error;
    EXPECT_NEAR(stopped.model.noise_sd, std::sqrt(sum / 3000.0), 1e-10) << "atoms were replaced after the codes";
    const TrainResult late =
        train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .time_limit_s = 1e-9});
    EXPECT_EQ(late.reason, StopReason::time_limit);
    EXPECT_EQ(late.sweeps, 1);
}

TYPED_TEST(SparseLearners, ModelsSurviveTheFile) {
    const SynthSet set = easy_set(60);
    TypeParam options = this->short_run();
    options.sweeps = 2;
    options.keep_codes = true;
    const Model model = this->learn(set.signals, options);
    const TempFolder folder;
    save_model(model, folder / "model.h5");
    const Model back = load_model(folder / "model.h5");
    EXPECT_EQ(back.method, model.method);
    EXPECT_EQ(back.options_json, model.options_json);
    EXPECT_EQ(back.code_sizes, model.code_sizes);
    EXPECT_TRUE(same_entries(back.dictionary, model.dictionary));
    EXPECT_TRUE(same_entries(back.codes, model.codes));
}

TYPED_TEST(SparseLearners, SignalsThatAreHardlySignalsWork) {
    Matrix noise(40, 6);
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] = std::sin(double(i * i));
    Matrix lonely(25, 6);
    lonely(7, 2) = 1.0;
    for (const Matrix& rows :
         {Matrix(20, 6), Matrix(20, 6, 3.5), Matrix(1, 6), Matrix(1, 6, 2.0), Matrix(9, 1, -2.0), noise, lonely}) {
        const Model model = this->learn(rows, this->short_run(8));
        EXPECT_NO_THROW(check_model(model, "the model"));
        for (std::size_t n = 0; n < 8; ++n) {
            double norm2 = 0.0;
            for (const double entry : model.dictionary.row(n)) norm2 += entry * entry;
            EXPECT_NEAR(norm2, 1.0, 1e-12);
        }
    }
}

TYPED_TEST(SparseLearners, BadInputIsRejectedBeforeAnythingRuns) {
    SynthSet set = easy_set(20);
    const MemorySource source{set.signals};
    const auto expect_rejected = [&](auto change, std::string_view words) {
        TypeParam options = this->short_run();
        change(options);
        expect_error<InputError>([&] { train(source, options); }, {words});
    };
    expect_rejected([](TypeParam& o) { o.atoms = 0; }, "atoms is 0, must be at least 1");
    expect_rejected([](TypeParam& o) { o.sweeps = 0; }, "sweeps is 0, must be at least 1");
    expect_rejected([](TypeParam& o) { o.least_users = -1; }, "least_users is -1");
    expect_rejected([](TypeParam& o) { o.duplicate_correlation = 1.5; },
                    "duplicate_correlation is 1.5, must be at most 1");
    expect_error<InputError>([&] { train(source, this->short_run(), {.execution = {.threads = -1}}); },
                             {"threads", "-1"});
    expect_error<InputError>([&] { train(source, this->short_run(), {.time_limit_s = -1.0}); }, {"time_limit_s"});
    set.signals(2, 1) = std::numeric_limits<double>::quiet_NaN();
    expect_error<InputError>([&] { train(source, this->short_run()); }, {"nan"});
}

TYPED_TEST(SparseLearners, APresetIsNamedWhateverHadToBeGiven) {
    TypeParam options = TypeParam::preset(Preset::standard, 12);
    tell(options, 1.0);
    if constexpr (std::is_same_v<TypeParam, SimcoOptions>) options.steps = SimcoOptions{}.steps;
    const Matrix rows(20, 4, 1.0);
    EXPECT_EQ(this->learn(rows, options).preset, "standard");
    options.sweeps += 1;
    EXPECT_EQ(this->learn(rows, options).preset, "custom");
}

/// mod and simco
template <class Options>
class PursuitLearners : public SparseLearners<Options> {};
using PursuitOptions = testing::Types<ModOptions, SimcoOptions>;
TYPED_TEST_SUITE(PursuitLearners, PursuitOptions, SparseNames);

TYPED_TEST(PursuitLearners, AskForTheSparsityOrTheError) {
    TypeParam options = this->short_run();
    options.max_error = 0.5;
    expect_error<InputError>([&] { validate(options); },
                             {": give exactly one of sparsity", "max_error", "both are given"});
    options.sparsity.reset();
    EXPECT_NO_THROW(validate(options));
    options.max_error.reset();
    expect_error<InputError>([&] { validate(options); }, {": give exactly one of sparsity", "max_error"});
    options.sparsity = 0;
    expect_error<InputError>([&] { validate(options); }, {"sparsity is 0, must be at least 1"});
}

TYPED_TEST(PursuitLearners, LowerASparsityThatNoCodeCanHave) {
    const SynthSet set = easy_set(60);
    TypeParam options = this->short_run(12);
    options.sparsity = 11;
    options.sweeps = 2;
    EXPECT_EQ(train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}).warnings,
              std::vector<std::string>{"sparsity is 11, more than the 10 entries of a signal; 10 was used instead"});
}

TYPED_TEST(PursuitLearners, SmallSignalsTakeNoAtomUnderAnError) {
    SynthSet set = easy_set(200);
    for (double& entry : set.signals.row(3)) entry *= 1e-3;
    TypeParam options = this->short_run();
    options.sparsity.reset();
    options.max_error = 0.3;
    options.keep_codes = true;
    const Model model = this->learn(set.signals, options);
    for (const double x : model.codes.row(3)) EXPECT_EQ(x, 0.0);
    EXPECT_GT(model.code_sizes[0], 0);
    options.max_error = 1e6;
    const TrainResult nothing = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}});
    ASSERT_EQ(nothing.warnings.size(), 1U);
    EXPECT_NE(nothing.warnings.front().find("max_error is 1000000"), std::string::npos);
}

/// majorization and apru
template <class Options>
class WeightedLearners : public SparseLearners<Options> {};
using WeightedOptions = testing::Types<MajorizationOptions, ApruOptions>;
TYPED_TEST_SUITE(WeightedLearners, WeightedOptions, SparseNames);

TYPED_TEST(WeightedLearners, AskForLambdaAndRejectOneThatIsNone) {
    TypeParam options = this->short_run();
    for (const double bad :
         {0.0, -0.5, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        options.lambda = bad;
        expect_error<InputError>([&] { validate(options); }, {"lambda is "});
    }
    options.lambda.reset();
    expect_error<InputError>([&] { validate(options); }, {"lambda (", "is missing"});
}

TYPED_TEST(WeightedLearners, SayWhenTheWeightLeavesNoCode) {
    const SynthSet set = easy_set(60);
    TypeParam options = this->short_run(12, 1e4);
    options.sweeps = 3;
    const TrainResult result = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}});
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings.front().find("lambda is 2000"), std::string::npos) << result.warnings.front();
}

}  // namespace
}  // namespace sbdl::test
