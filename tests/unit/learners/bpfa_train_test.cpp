// BPFA as a learner: what it infers, signals with gaps, what it rejects.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

BpfaOptions short_bpfa(int atoms) {
    BpfaOptions options = BpfaOptions::preset(Preset::standard, atoms);
    options.burn_in = 300;
    options.draws = 40;
    return options;
}

/// The signals with about every fourth entry missing.
Matrix with_gaps(const Matrix& signals) {
    Matrix gappy = signals;
    for (std::size_t i = 0; i < gappy.size(); ++i)
        if (i % 7 == 0 || i % 9 == 0) gappy.data()[i] = std::numeric_limits<double>::quiet_NaN();
    return gappy;
}

TEST(Bpfa, FindsDictionaryNoiseAndHowManyAtomsThereAre) {
    const SynthSet truth = test::easy_set(400);
    BpfaOptions options = short_bpfa(18);  // the true number is 12
    options.keep_codes = true;
    const TrainResult result = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}, .seed = 3});
    const Model& model = result.model;
    EXPECT_EQ(model.method, "bpfa");
    EXPECT_EQ(score_dictionary(truth.dictionary, model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_NEAR(model.noise_sd / truth.noise_sd, 1.0, 0.1);
    EXPECT_GT(model.noise_sd_std, 0.0);
    EXPECT_LT(model.noise_sd_std, 0.1 * model.noise_sd);
    int used = 0;
    ASSERT_TRUE(model.on_off);
    for (const double probability : model.on_off->atom_probability) used += probability > 0.03 ? 1 : 0;
    EXPECT_EQ(used, 12);
    EXPECT_EQ(model.trace.sweep.size(), 340u);
    EXPECT_TRUE(std::isfinite(model.diagnostics.noise_ess));
    ASSERT_EQ(model.codes.rows(), 400u);
    EXPECT_EQ(model.codes_std.cols(), 18u);
}

TEST(Bpfa, FillsMissingEntriesAndLeavesTheNoiseOut) {
    const SynthSet truth = test::easy_set(400);
    const Matrix gappy = with_gaps(truth.signals);
    BpfaOptions options = short_bpfa(12);
    const TrainResult result =
        train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 2, .reconstruct = true});
    ASSERT_EQ(result.reconstruction.rows(), 400u);
    EXPECT_NEAR(result.model.noise_sd / truth.noise_sd, 1.0, 0.15);
    double error_missing = 0.0, energy_missing = 0.0, error_seen = 0.0, noise_seen = 0.0;
    for (std::size_t l = 0; l < 400; ++l)
        for (std::size_t m = 0; m < 10; ++m) {
            double clean = 0.0;
            for (std::size_t n = 0; n < 12; ++n) clean += truth.codes(l, n) * truth.dictionary(n, m);
            const double error = result.reconstruction(l, m) - clean;
            if (std::isnan(gappy(l, m))) {
                error_missing += error * error;
                energy_missing += clean * clean;
            } else {
                error_seen += error * error;
                noise_seen += std::pow(truth.signals(l, m) - clean, 2);
            }
        }
    EXPECT_LT(error_missing, 0.2 * energy_missing);
    EXPECT_LT(error_seen, 0.6 * noise_seen);
}

TEST(Bpfa, AMaskIsTheSameAsNaN) {
    const SynthSet truth = test::easy_set(60);
    const Matrix gappy = with_gaps(truth.signals);
    Matrix mask(60, 10, 1.0);
    for (std::size_t i = 0; i < mask.size(); ++i)
        if (std::isnan(gappy.data()[i])) mask.data()[i] = 0.0;
    BpfaOptions options = short_bpfa(12);
    options.burn_in = 5;
    options.draws = 2;
    const MemorySource signals(truth.signals), seen(mask);
    const Model by_mask = train(MaskedSource(signals, seen), options).model;
    const Model by_nan = train(MemorySource{gappy}, options).model;
    EXPECT_EQ(test::values_of(by_mask.dictionary), test::values_of(by_nan.dictionary));
}

TEST(Bpfa, MasksOfAnotherShapeOrKindAreRejected) {
    const Matrix rows(5, 3, 1.0), small(5, 2, 1.0), grey(5, 3, 0.5);
    const MemorySource signals(rows), other(small), odd(grey);
    test::expect_error<InputError>([&] { MaskedSource(signals, other); }, {"5 x 2", "5 x 3", "mask"});
    test::expect_error<InputError>([&] { check_signals(MaskedSource(signals, odd), MissingValues::allowed); },
                                   {"row 0, column 0", "0.5", "0 (missing) or 1 (observed)"});
}

TEST(Bpfa, ASignalWithoutAnyEntryTakesNoPart) {
    Matrix rows = test::easy_set(80).signals;
    for (double& value : rows.row(7)) value = std::numeric_limits<double>::quiet_NaN();
    BpfaOptions options = short_bpfa(12);
    options.burn_in = 10;
    options.draws = 3;
    const TrainResult result = train(MemorySource{rows}, options, {.reconstruct = true});
    for (const double value : result.reconstruction.row(7)) EXPECT_EQ(value, 0.0);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("1 of 80 signals"), std::string::npos) << result.warnings[0];

    const Matrix nothing(4, 3, std::numeric_limits<double>::quiet_NaN());
    test::expect_error<InputError>([&] { train(MemorySource{nothing}, options); }, {"every entry", "missing"});
}

TEST(Bpfa, InfinityIsStillRejected) {
    Matrix rows(4, 3, 1.0);
    rows(2, 1) = std::numeric_limits<double>::infinity();
    test::expect_error<InputError>([&] { train(MemorySource{rows}, short_bpfa(2)); }, {"row 2, column 1", "inf"});
}

// 9 atoms: values that overflow in the padding of vectors must not be taken for atoms.
TEST(Bpfa, SignalsBeyondItsUnitsAreRejected) {
    Matrix rows = test::easy_set(60).signals;
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] *= 1e155;
    BpfaOptions options = short_bpfa(9);
    options.burn_in = 20;
    options.own_units = false;
    test::expect_error<NumericError>([&] { train(MemorySource{rows}, options); }, {"out of the range"});
}

TEST(Bpfa, OthersRejectNaNAndSayWhoDoesNot) {
    const Matrix gappy = with_gaps(test::easy_set(20).signals);
    KsvdOptions options = KsvdOptions::preset(Preset::standard, 4);
    options.sparsity = 2;
    test::expect_error<InputError>([&] { train(MemorySource{gappy}, options); },
                                   {"row 0, column 0", "nan", "missing value", "gibbs, vb, bpfa"});
}

TEST(Bpfa, ThreadsChangeNothing) {
    const Matrix gappy = with_gaps(test::easy_set(200).signals);
    BpfaOptions options = short_bpfa(12);
    options.burn_in = 12;
    options.draws = 4;
    const Model one = train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 4}).model;
    const Model three = train(MemorySource{gappy}, options, {.execution = {.threads = 3}, .seed = 4}).model;
    EXPECT_EQ(test::values_of(one.dictionary), test::values_of(three.dictionary));
    EXPECT_EQ(one.trace.objective, three.trace.objective);
    const Model other = train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 5}).model;
    EXPECT_NE(test::values_of(one.dictionary), test::values_of(other.dictionary)) << "the seed was not used";
}

TEST(Bpfa, UnitsDoNotMatter) {
    const SynthSet truth = test::easy_set(100);
    Matrix scaled = truth.signals;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 0x1p40;
    BpfaOptions options = short_bpfa(12);
    options.burn_in = 10;
    options.draws = 2;
    const Model own = train(MemorySource{truth.signals}, options).model;
    const Model large = train(MemorySource{scaled}, options).model;
    EXPECT_EQ(test::values_of(own.dictionary), test::values_of(large.dictionary));
    EXPECT_EQ(0x1p40 * own.noise_sd, large.noise_sd);
}

TEST(Bpfa, GoesOnFromAModelFile) {
    const SynthSet truth = test::easy_set(300);
    const MemorySource source{truth.signals};
    const Model first = train(source, short_bpfa(12), {.execution = {.threads = 1}, .seed = 3}).model;
    const test::TempFolder folder;
    save_model(first, folder / "model.h5");
    const Model read = load_model(folder / "model.h5");
    ASSERT_TRUE(read.on_off && first.on_off);
    EXPECT_EQ(read.on_off->atom_probability, first.on_off->atom_probability);
    BpfaOptions options = short_bpfa(12);
    options.burn_in = 30;
    options.draws = 10;
    options.anneal_growth = 0.0;
    options.refresh_every = 0;
    const Model second = train(source, options, {.execution = {.threads = 1}, .seed = 3, .start = &read}).model;
    const auto found = [&](const Model& model) {
        return score_dictionary(truth.dictionary, model.dictionary, 0.01).nearest_rate();
    };
    EXPECT_GT(found(first), 0.9);
    EXPECT_GE(found(second), found(first));
}

TEST(Bpfa, SignalsThatAreAllZeroAndChainsThatAgree) {
    const Matrix zero(30, 5);
    BpfaOptions options = short_bpfa(4);
    options.burn_in = 20;
    options.draws = 8;
    options.chains = 2;
    const Model model = train(MemorySource{zero}, options).model;
    for (std::size_t i = 0; i < model.dictionary.size(); ++i) EXPECT_TRUE(std::isfinite(model.dictionary.data()[i]));
    EXPECT_LT(model.noise_sd, 0.01);
    EXPECT_EQ(model.trace.sweep.size(), 56u);
}

TEST(Bpfa, OptionsAreChecked) {
    BpfaOptions options = short_bpfa(0);
    test::expect_error<InputError>([&] { validate(options); }, {"bpfa", "atoms is 0", "at least 1"});
    options.atoms = 3;
    options.usage_on = 0.0;
    test::expect_error<InputError>([&] { validate(options); }, {"usage_on is 0", "above 0"});
    options.usage_on = 1.0;
    options.noise_rate = -1.0;
    test::expect_error<InputError>([&] { validate(options); }, {"noise_rate is -1"});
    EXPECT_NE(to_json(BpfaOptions::preset(Preset::paper, 3)), to_json(BpfaOptions::preset(Preset::standard, 3)));
}

}  // namespace
}  // namespace sbdl
