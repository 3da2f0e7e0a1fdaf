// What the methods for streams share: the order of signals, files larger than memory, continuing from a model file.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "learners/stream/signal_batches.hpp"
#include "learners/stream/stream_passes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/online.hpp"
#include "sbdl/rls.hpp"
#include "sbdl/score.hpp"
#include "sbdl/sgd.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

/// A source that is never entirely in memory, and records how much was requested at once and how often.
class MadeUpSource final : public SignalSource {
public:
    explicit MadeUpSource(std::size_t count) : count_(count) {}
    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return 4; }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        const std::scoped_lock lock(mutex_);
        most_ = std::max(most_, how_many);
        reads_ += how_many;
        for (std::size_t i = 0; i < how_many * 4; ++i) {
            const std::size_t place = first * 4 + i;
            out[i] = place == bad ? std::numeric_limits<double>::quiet_NaN()
                                  : std::sin(static_cast<double>(place * place % 1009));
        }
    }
    [[nodiscard]] std::string name() const override { return "made up"; }
    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] std::size_t reads() const { return reads_; }

    std::size_t bad = std::numeric_limits<std::size_t>::max();

private:
    std::size_t count_;
    mutable std::mutex mutex_;
    mutable std::size_t most_ = 0, reads_ = 0;
};

/// Calls check(options) with the options of each of the three methods, with the required ones set.
template <class Check>
void with_each_method(int atoms, int sparsity, const Check& check) {
    const auto one = [&](auto options, const char* name) {
        SCOPED_TRACE(name);
        options.atoms = atoms;
        options.sparsity = sparsity;
        check(options);
    };
    one(OnlineOptions{}, "online");
    one(RlsOptions{}, "rls");
    one(SgdOptions{}, "sgd");
}

TEST(Streams, FindAnEasyDictionary) {
    const SynthSet truth = test::easy_set(1000);
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 40;
        const Model model = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}, .seed = 6}).model;
        EXPECT_GE(score_dictionary(truth.dictionary, model.dictionary, 0.01).nearest_rate(), 0.9);
        EXPECT_LT(model.noise_sd, 3.0 * truth.noise_sd);
        EXPECT_EQ(model.stream.signals_seen, 40'000u);
        EXPECT_EQ(model.trace.sweep.size(), 40u);
        EXPECT_EQ(model.code_sizes.size(), 3u);
    });
}

TEST(Streams, ThreadsChangeNothingAndSeedsAreUsed) {
    const SynthSet truth = test::easy_set(500);
    with_each_method(20, 3, [&](auto options) {
        options.sweeps = 2;
        options.batch = 200;
        const MemorySource source{truth.signals};
        const auto learned = [&](int threads, std::uint64_t seed) {
            return test::values_of(
                train(source, options, {.execution = {.threads = threads}, .seed = seed}).model.dictionary);
        };
        const auto one = learned(1, 4);
        EXPECT_EQ(one, learned(3, 4));
        EXPECT_NE(one, learned(1, 5));
    });
}

TEST(Streams, OnePassReadsEachSignalOnceAndHoldsABatch) {
    with_each_method(6, 2, [&](auto options) {
        const MadeUpSource source(70'000);
        options.sweeps = 1;
        options.batch = 500;
        options.order = StreamOrder::stored;
        const TrainResult result = train(source, options, {.execution = {.threads = 1}});
        EXPECT_EQ(source.most(), 500u);
        EXPECT_LT(source.reads(), 2u * 70'000u + 100u);  // the unit is found from at most all of these short signals
        EXPECT_EQ(result.sweeps, 2) << "observers are asked within a long pass";
        EXPECT_EQ(result.model.stream.signals_seen, 70'000u);
    });
}

// Observers of a sweep without a batch would be told of no signals.
TEST(Streams, EverySweepHasABatch) {
    const MadeUpSource source(140'000);
    for (const int batch : {140'000, 139'999, 70'001, 50'000, 512}) {
        SCOPED_TRACE(batch);
        const Context context{.execution = {.threads = 1}};
        StreamPasses passes({.passes = 2, .batch = batch, .order = StreamOrder::stored}, {source, 1.0}, context, 0);
        int sweeps = 0;
        while (!passes.done()) {
            int batches = 0;
            passes.sweep([&](const Mat& Y) { batches += Y.cols() > 0 ? 1 : 0; });
            EXPECT_GE(batches, 1) << ++sweeps;
        }
        EXPECT_EQ(passes.seen(), 280'000u);
        EXPECT_EQ(passes.sweeps(), 2 * std::min(3, (140'000 + batch - 1) / batch));
    }
}

TEST(Streams, NaNIsRejectedWhereverItComes) {
    with_each_method(6, 2, [&](auto options) {
        MadeUpSource source(300'000);  // more than are used to find the unit
        source.bad = 299'998 * 4 + 1;
        options.sweeps = 1;
        options.batch = 4096;
        options.order = StreamOrder::stored;
        options.keep_codes = false;
        test::expect_error<InputError>([&] { train(source, options, {.execution = {.threads = 1}}); },
                                       {"made up", "row 299998, column 1", "nan", "missing value"});
        options.order = StreamOrder::shuffled;
        test::expect_error<InputError>([&] { train(source, options, {.execution = {.threads = 1}}); },
                                       {"row 299998, column 1"});
    });
}

TEST(Streams, GoOnFromAModelFile) {
    const SynthSet truth = test::easy_set(600);
    const test::TempFolder folder;
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 5;
        const MemorySource source{truth.signals};
        const Model first = train(source, options, {.execution = {.threads = 1}, .seed = 2}).model;
        save_model(first, folder / "model.h5");
        const Model read = load_model(folder / "model.h5");
        EXPECT_EQ(read.stream.signals_seen, first.stream.signals_seen);
        EXPECT_EQ(test::values_of(read.stream.code_products), test::values_of(first.stream.code_products));
        EXPECT_EQ(test::values_of(read.stream.signal_products), test::values_of(first.stream.signal_products));
        const Model second = train(source, options, {.execution = {.threads = 1}, .seed = 2, .start = &read}).model;
        EXPECT_EQ(second.stream.signals_seen, 6000u);
        EXPECT_LT(second.noise_sd, first.noise_sd);
    });
}

TEST(Streams, AFewMoreSignalsAreNotTheEndOfWhatWasLearned) {
    const SynthSet truth = test::easy_set(1000);
    const MatrixView all = truth.signals;
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 40;
        const Model first = train(MemorySource{all}, options, {.execution = {.threads = 1}, .seed = 6}).model;
        options.sweeps = 1;
        const Model second = train(MemorySource{MatrixView{all.data, 10, all.cols}}, options,
                                   {.execution = {.threads = 1}, .start = &first})
                                 .model;
        EXPECT_EQ(score_dictionary(first.dictionary, second.dictionary, 0.01).nearest_rate(), 1.0);
    });
}

TEST(Streams, MaySeeSignalsInOtherUnits) {
    const SynthSet truth = test::easy_set(300);
    Matrix scaled = truth.signals;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 0x1p-10;
    SgdOptions options;  // which keeps nothing except its atoms
    options.atoms = 12;
    options.sparsity = 2;
    options.sweeps = 5;
    const auto after = [&](const Matrix& first_signals) {
        const Model first = train(MemorySource{first_signals}, options, {.execution = {.threads = 1}, .seed = 6}).model;
        const Context going_on{.execution = {.threads = 1}, .seed = 6, .start = &first};
        return test::values_of(train(MemorySource{truth.signals}, options, going_on).model.dictionary);
    };
    EXPECT_EQ(after(scaled), after(truth.signals));
}

/// Calls check(options) for the methods whose schedules are planned for a whole stream.
template <class Check>
void with_each_planned_method(const Check& check) {
    with_each_method(12, 2, [&](auto options) {
        if constexpr (requires { options.stream_signals; }) {
            options.sweeps = 1;
            options.order = StreamOrder::stored;
            check(options);
        }
    });
}

TEST(Streams, ChunksOfAStreamAreLearnedLikeTheWhole) {
    const SynthSet truth = test::easy_set(960);
    const MatrixView all = truth.signals;
    const test::TempFolder folder;
    with_each_planned_method([&](auto options) {
        options.stream_signals = 2 * 960;
        const auto go_on = [&](std::size_t first, std::size_t count, const Model* start) {
            const MemorySource chunk{MatrixView{all.data + first * all.cols, count, all.cols}};
            return train(chunk, options, {.execution = {.threads = 1}, .start = start}).model;
        };
        const Model first = go_on(0, 320, nullptr);
        const Model whole = go_on(320, 640, &first);
        Model parts = first;
        for (std::size_t begin = 320; begin < 960; begin += 64) {
            save_model(go_on(begin, 64, &parts), folder / "model.h5");
            parts = load_model(folder / "model.h5");
        }
        EXPECT_EQ(parts.stream.signals_seen, whole.stream.signals_seen);
        for (std::size_t i = 0; i < whole.dictionary.size(); ++i)
            EXPECT_NEAR(parts.dictionary.data()[i], whole.dictionary.data()[i], 1e-9) << i;
        // Without the plan each chunk would be a separate stream, and its end the end of learning.
        options.stream_signals.reset();
        EXPECT_NE(test::values_of(go_on(320, 64, &first).dictionary), test::values_of(parts.dictionary));
    });
}

TEST(Streams, StaleAtomsAreReplacedBetweenRunsOnceEnoughWasSeen) {
    const SynthSet truth = test::easy_set(1000);
    const MatrixView all = truth.signals;
    with_each_planned_method([&](auto options) {
        Model model;
        model.method = "ksvd";
        model.dictionary = truth.dictionary;
        for (std::size_t m = 0; m < 10; ++m) model.dictionary(11, m) = model.dictionary(10, m);  // a copy
        model.atom_usage.assign(12, 0.4);
        model.atom_norm.assign(12, 1.0);
        options.batch = 20;
        options.stream_signals = 2000;
        if constexpr (requires { options.first_rate; }) options.first_rate = 0.1;  // atoms are good already
        const auto distance = [&] { return score_dictionary(model.dictionary, truth.dictionary, 0.01); };
        std::vector<std::size_t> counted;
        for (std::size_t begin = 0; begin < 1000; begin += 20) {
            const MemorySource chunk{MatrixView{all.data + begin * all.cols, 20, all.cols}};
            model = train(chunk, options, {.execution = {.threads = 1}, .start = &model}).model;
            ASSERT_EQ(model.stream.users.size(), 12u);
            counted.push_back(
                static_cast<std::size_t>(std::accumulate(model.stream.users.begin(), model.stream.users.end(), 0)));
        }
        EXPECT_EQ(counted[0], 40u) << "20 signals of 2 atoms are not enough to judge 12 atoms by";
        EXPECT_EQ(*std::max_element(counted.begin(), counted.end()), 200u) << "5 x 4 users x 12 atoms are enough";
        EXPECT_GT(distance().nearest_rate(), 0.9) << "nothing good was replaced";
        Matrix last(1, 10);
        for (std::size_t m = 0; m < 10; ++m) last(0, m) = truth.dictionary(11, m);
        EXPECT_LT(score_dictionary(last, model.dictionary, 0.01).nearest_distance[0], 0.3)
            << "found once there was room";
    });
}

TEST(Streams, StartFromTheDictionaryOfAnyModel) {
    const SynthSet truth = test::easy_set(600);
    Model known;
    known.method = "ksvd";
    known.dictionary = truth.dictionary;
    known.atom_usage.assign(12, 0.4);
    known.atom_norm.assign(12, 1.0);
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 1;
        options.batch = 100;
        const Model model =
            train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}, .start = &known}).model;
        EXPECT_EQ(score_dictionary(truth.dictionary, model.dictionary, 0.05).nearest_rate(), 1.0);
    });
}

TEST(Streams, KeepCodesOfTheFinalDictionary) {
    const SynthSet truth = test::easy_set(300);
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 3;
        options.keep_codes = true;
        const Model model = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}}).model;
        ASSERT_EQ(model.codes.rows(), 300u);
        double left = 0.0;
        for (std::size_t l = 0; l < 300; ++l)
            for (std::size_t m = 0; m < 10; ++m) {
                double fit = 0.0;
                for (std::size_t n = 0; n < 12; ++n) fit += model.codes(l, n) * model.dictionary(n, m);
                left += std::pow(truth.signals(l, m) - fit, 2);
            }
        EXPECT_LT(std::sqrt(left / 3000.0), 1.5 * model.noise_sd);
    });
}

TEST(Streams, ZeroSignalsAndMoreAtomsThanSignals) {
    const Matrix zeros(3, 6), few(test::easy_set(5).signals);
    with_each_method(9, 2, [&](auto options) {
        options.sweeps = 2;
        const TrainResult nothing = train(MemorySource{zeros}, options);
        for (const double entry : test::values_of(nothing.model.dictionary)) EXPECT_TRUE(std::isfinite(entry));
        ASSERT_EQ(nothing.warnings.size(), 1u);
        EXPECT_NE(nothing.warnings[0].find("nothing was learned"), std::string::npos);
        for (const double entry : test::values_of(train(MemorySource{few}, options).model.dictionary))
            EXPECT_TRUE(std::isfinite(entry));
    });
}

TEST(Streams, UnitsDoNotMatter) {
    const SynthSet truth = test::easy_set(200);
    Matrix scaled = truth.signals;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 0x1p-60;
    with_each_method(12, 2, [&](auto options) {
        options.sweeps = 2;
        EXPECT_EQ(test::values_of(train(MemorySource{truth.signals}, options).model.dictionary),
                  test::values_of(train(MemorySource{scaled}, options).model.dictionary));
    });
}

TEST(Streams, TooLargeASparsityIsLoweredAndSaid) {
    const SynthSet truth = test::easy_set(50);
    with_each_method(12, 11, [&](auto options) {
        options.sweeps = 1;
        const TrainResult result = train(MemorySource{truth.signals}, options);
        ASSERT_EQ(result.warnings.size(), 1u);
        EXPECT_NE(result.warnings[0].find("sparsity is 11"), std::string::npos) << result.warnings[0];
    });
}

TEST(Streams, BadOptionsAreRejectedByName) {
    with_each_method(3, 2, [&](auto options) {
        EXPECT_NO_THROW(validate(options));
        options.batch = 0;
        test::expect_error<InputError>([&] { validate(options); }, {"batch is 0", "at least 1"});
        options.batch = 10;
        options.max_error = 0.1;
        test::expect_error<InputError>([&] { validate(options); }, {"sparsity", "max_error", "exactly one"});
        options.sparsity.reset();
        EXPECT_NO_THROW(validate(options));
        options.max_error.reset();
        test::expect_error<InputError>([&] { validate(options); }, {"exactly one of sparsity", " is given"});
    });
    RlsOptions rls;
    rls.atoms = 3;
    rls.sparsity = 1;
    rls.forgetting = 0.0;
    test::expect_error<InputError>([&] { validate(rls); }, {"forgetting is 0", "above 0"});
    SgdOptions sgd;
    sgd.atoms = 3;
    sgd.sparsity = 1;
    sgd.last_rate = -1.0;
    test::expect_error<InputError>([&] { validate(sgd); }, {"last_rate is -1"});
    OnlineOptions online;
    online.atoms = 3;
    online.lambda = 0.0;
    test::expect_error<InputError>([&] { validate(online); }, {"lambda is 0", "above 0"});
}

TEST(Batches, ShuffledTakesEverySignalOnceInAnotherOrderEachPass) {
    Matrix rows(10, 1);
    for (std::size_t l = 0; l < 10; ++l) rows(l, 0) = static_cast<double>(l);
    const MemorySource source(rows);
    SignalBatches batches({source, 1.0}, StreamOrder::shuffled, 4, {.execution = {.threads = 1}, .seed = 3});
    const auto pass = [&](std::uint32_t number) {
        std::vector<double> seen;
        batches.begin(number);
        for (const std::size_t want : {4u, 4u, 2u, 0u}) {
            const Mat& Y = batches.next();
            EXPECT_EQ(static_cast<std::size_t>(Y.cols()), want);
            seen.insert(seen.end(), Y.data(), Y.data() + Y.size());
        }
        return seen;
    };
    const std::vector<double> first = pass(1);
    std::vector<double> sorted = first;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, test::values_of(rows));
    EXPECT_NE(first, pass(2));
    EXPECT_EQ(first, pass(1));
}

// Several batches are read at once, more than once in a pass.
TEST(Batches, ReadingAheadChangesNoBatchParallel) {
    constexpr std::size_t count = 2 * signals_ahead + 900;
    Matrix rows(count, 1);
    for (std::size_t l = 0; l < count; ++l) rows(l, 0) = static_cast<double>(l);
    const MemorySource source(rows);
    const auto pass = [&](int batch, int threads, std::size_t already) {
        SignalBatches batches({source, 2.0}, StreamOrder::shuffled, batch, {.execution = {.threads = threads}});
        batches.begin(1);
        if (already > 0) {
            batches.next();
            batches.resume_after(already);
        }
        std::vector<double> seen;
        while (batches.taken() < count) {
            const std::size_t before = batches.taken();
            const Mat& Y = batches.next();
            EXPECT_EQ(static_cast<std::size_t>(Y.cols()), std::min(static_cast<std::size_t>(batch), count - before));
            seen.insert(seen.end(), Y.data(), Y.data() + Y.size());
        }
        EXPECT_EQ(batches.next().cols(), 0);
        return seen;
    };
    const std::vector<double> all = pass(static_cast<int>(count), 1, 0);
    for (const int batch : {300, 4096, 5000}) {
        EXPECT_EQ(pass(batch, 3, 0), all) << batch;
        const auto already = static_cast<std::size_t>(batch);
        const std::vector<double> rest(all.begin() + batch, all.end());
        EXPECT_EQ(pass(batch, 2, already), rest) << batch;
    }
}

}  // namespace
}  // namespace sbdl
