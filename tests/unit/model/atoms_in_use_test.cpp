// Which atoms the signals determine, by their codes and by their posterior.
#include "sbdl/atoms_in_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbdl/gibbs.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "sbdl/vb.hpp"

namespace sbdl {
namespace {

using Used = std::vector<bool>;

/// 101 entries, 1000 signals, noise 2: the squared error of an atom is 100 * 4 / (1000 usage^2) = 0.4 / usage^2.
Model model_with_usage(const std::vector<double>& usage) {
    Model model;
    model.dictionary = Matrix(usage.size(), 101);
    model.signal_count = 1000;
    model.noise_sd = 2.0;
    model.atom_usage = usage;
    return model;
}

TEST(AtomsInUse, TheCodesMustStandOutFromTheNoise) {
    EXPECT_EQ(atoms_in_use(model_with_usage({0.0, 0.1, 1.99, 2.01, 50.0})), (Used{false, false, false, true, true}));
    Model free_of_noise = model_with_usage({0.0, 1e-9, 1.0});
    free_of_noise.noise_sd = 0.0;
    EXPECT_EQ(atoms_in_use(free_of_noise), (Used{false, true, true}));
    free_of_noise.noise_sd = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(atoms_in_use(free_of_noise), (Used{false, true, true}));
    EXPECT_TRUE(atoms_in_use(model_with_usage({})).empty());
}

TEST(AtomsInUse, ThePosteriorMustDetermineTheDirection) {
    Model model = model_with_usage({50.0, 50.0, 50.0});
    model.dictionary_std = Matrix(3, 101);
    for (std::size_t m = 0; m < 101; ++m) {
        model.dictionary_std(0, m) = std::sqrt(0.09 / 101.0);
        model.dictionary_std(1, m) = std::sqrt(0.11 / 101.0);
        model.dictionary_std(2, m) = std::sqrt(1.0 / 101.0);  // a draw from the prior
    }
    EXPECT_EQ(atoms_in_use(model), (Used{true, false, false}));
}

// Twice as many atoms as the signals are made of. The seeds are fixed, but processors that round differently may end
// with one atom more, which shares the signals of another.
TEST(AtomsInUse, OfTwiceTooManyAtomsHalfAreInUse) {
    SynthOptions made;
    made.dim = 10;
    made.atoms = 12;
    made.signals = 400;
    made.sparsity_min = made.sparsity_max = 2;
    made.snr_db = 20.0;
    made.seed = 1;
    const SynthSet set = synthesize(made);
    const MemorySource source(set.signals);
    const auto expect_half = [&](const AnyOptions& options) {
        const Used used = atoms_in_use(train(source, options).model);
        EXPECT_EQ(used.size(), 24U) << options.method();
        EXPECT_NEAR(static_cast<double>(std::count(used.begin(), used.end(), true)), 12.0, 1.0) << options.method();
    };
    expect_half(GibbsOptions::preset(Preset::standard, 24));
    expect_half(VbOptions::preset(Preset::standard, 24));
}

}  // namespace
}  // namespace sbdl
