// Codes of the training signals, on request: for the unit-norm atoms of the model and in the signals' units.
#include <gtest/gtest.h>

#include <cmath>

#include "base/linalg.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"

namespace sbdl::test {
namespace {

template <class Options>
void expect_codes_rebuild_signals(Options options, double unit, double most_misfit) {
    options.keep_codes = true;
    SynthSet set = easy_set(300, 20.0);
    for (std::size_t i = 0; i < set.signals.size(); ++i) set.signals.data()[i] *= unit;
    const Model model = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 1}).model;
    ASSERT_EQ(model.codes.rows(), 300u);
    ASSERT_EQ(model.codes.cols(), 12u);
    ASSERT_EQ(model.codes_std.rows(), 300u);
    ASSERT_EQ(model.codes_std.cols(), 12u);
    const Mat D = as_columns(model.dictionary), X = as_columns(model.codes), Y = as_columns(set.signals);
    // The residual is about the size of the noise.
    const double misfit = (Y - D * X).norm() / std::sqrt(static_cast<double>(Y.size()));
    EXPECT_LT(misfit, most_misfit * unit * set.noise_sd);
    EXPECT_GT(misfit, 0.2 * unit * set.noise_sd);
    for (std::size_t i = 0; i < model.codes_std.size(); ++i) ASSERT_GE(model.codes_std.data()[i], 0.0);
    // Usage is the root mean square of each atom's codes, posterior spread included.
    for (std::size_t n = 0; n < 12; ++n) {
        double energy = 0.0;
        for (std::size_t l = 0; l < 300; ++l)
            energy += std::pow(model.codes(l, n), 2) + std::pow(model.codes_std(l, n), 2);
        EXPECT_NEAR(std::sqrt(energy / 300.0) / model.atom_usage[n], 1.0, 0.02);
    }
}

TEST(KeepCodes, GibbsCodesRebuildTheSignals) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.draws = 100;
    expect_codes_rebuild_signals(options, 1.0, 1.5);
    expect_codes_rebuild_signals(options, 1e4, 1.5);
}

TEST(KeepCodes, VbCodesRebuildTheSignals) {
    expect_codes_rebuild_signals(VbOptions::preset(Preset::standard, 12), 1.0, 1.5);
    expect_codes_rebuild_signals(VbOptions::preset(Preset::standard, 12), 1e4, 1.5);
}

// VB misses an atom of this set, and its closing chain finds it in the place of another. Atoms, codes and noise must be
// those of one and the same model.
TEST(KeepCodes, VbCodesBelongToItsAtoms) {
    SynthOptions shape{.dim = 10, .atoms = 20, .signals = 600, .snr_db = 30.0, .seed = 3};
    const SynthSet set = synthesize(shape);
    VbOptions options = VbOptions::preset(Preset::standard, 20);
    options.keep_codes = true;
    const Model model = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 3}).model;
    const Mat Y = as_columns(set.signals);
    const double misfit = (Y - as_columns(model.dictionary) * as_columns(model.codes)).norm() / std::sqrt(Y.size());
    EXPECT_LT(misfit, 1.2 * model.noise_sd);
    EXPECT_NEAR(model.noise_sd, set.noise_sd, 0.05 * set.noise_sd);
    EXPECT_EQ(score_dictionary(set.dictionary, model.dictionary, 0.01).nearest_recovered, 20U);
    options.closing_sweeps = 0;
    const Model of_vb = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = 3}).model;
    EXPECT_EQ(score_dictionary(set.dictionary, of_vb.dictionary, 0.01).nearest_recovered, 19U)
        << "another set is needed";
}

TEST(KeepCodes, AreNotKeptUnlessAskedFor) {
    const SynthSet set = easy_set(50);
    const Model gibbs = train(MemorySource{set.signals}, short_gibbs(12)).model;
    const Model vb = train(MemorySource{set.signals}, short_vb(12)).model;
    EXPECT_TRUE(gibbs.codes.empty() && gibbs.codes_std.empty() && vb.codes.empty() && vb.codes_std.empty());
}

TEST(KeepCodes, SignsOfTheLastDrawAgreeWithTheCodes) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.draws = 60;
    options.keep_codes = true;
    const SynthSet set = easy_set(60, 0.0, 3);
    // The same chain and the same codes. With this much noise, atoms pass through zero, so only a clear majority can
    // agree; the exact number depends on the last bit of each sum. If the signs were random, 60 atoms would pass once
    // in a thousand.
    int agree = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        options.average = true;
        const Model averaged =
            train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = seed}).model;
        options.average = false;
        const Model last = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}, .seed = seed}).model;
        for (std::size_t i = 0; i < last.codes.size(); ++i) ASSERT_EQ(last.codes.data()[i], averaged.codes.data()[i]);
        const Mat D = as_columns(last.dictionary), mean = as_columns(averaged.dictionary);
        for (Eigen::Index n = 0; n < D.cols(); ++n) agree += D.col(n).dot(mean.col(n)) > 0.0 ? 1 : 0;
    }
    EXPECT_GE(agree, 42);
}

}  // namespace
}  // namespace sbdl::test
