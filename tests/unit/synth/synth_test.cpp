#include "sbdl/synth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}

std::size_t support_size(const Matrix& codes, std::size_t signal) {
    const auto row = codes.row(signal);
    return codes.cols() - static_cast<std::size_t>(std::count(row.begin(), row.end(), 0.0));
}

// The codes times the dictionary, without noise.
Matrix clean_signals(const SynthSet& set) {
    Matrix result(set.signals.rows(), set.signals.cols());
    for (std::size_t l = 0; l < result.rows(); ++l)
        for (std::size_t n = 0; n < set.dictionary.rows(); ++n)
            for (std::size_t m = 0; m < result.cols(); ++m) result(l, m) += set.codes(l, n) * set.dictionary(n, m);
    return result;
}

double sum_of_squares(const Matrix& m) {
    double sum = 0.0;
    for (std::size_t i = 0; i < m.size(); ++i) sum += m.data()[i] * m.data()[i];
    return sum;
}

TEST(Synth, AtomsHaveUnitNorm) {
    const SynthSet set = synthesize({});
    ASSERT_EQ(set.dictionary.rows(), 50u);
    ASSERT_EQ(set.dictionary.cols(), 20u);
    for (std::size_t n = 0; n < 50; ++n) {
        double sum = 0.0;
        for (const double entry : set.dictionary.row(n)) sum += entry * entry;
        EXPECT_NEAR(sum, 1.0, 1e-14);
    }
}

TEST(Synth, EverySignalUsesAsManyAtomsAsAsked) {
    const SynthSet set = synthesize({});
    ASSERT_EQ(set.codes.rows(), 1000u);
    for (std::size_t l = 0; l < 1000; ++l) EXPECT_EQ(support_size(set.codes, l), 3u);
}

// Each count of sparsity_min ... sparsity_max has probability 1/4; over 4000 signals its standard deviation is 27, and
// the bound of 5.5 of them gives false alarms at a rate below 4e-8 per count.
TEST(Synth, MixedSparsityIsUniform) {
    const SynthSet set = synthesize({.signals = 4000, .sparsity_min = 3, .sparsity_max = 6});
    std::vector<int> counts(8, 0);
    for (std::size_t l = 0; l < 4000; ++l) ++counts.at(support_size(set.codes, l));
    for (std::size_t k = 3; k <= 6; ++k) EXPECT_NEAR(counts[k], 1000, 5.5 * std::sqrt(4000 * 0.25 * 0.75)) << k;
    EXPECT_EQ(counts[3] + counts[4] + counts[5] + counts[6], 4000);
}

// Atom n is in a support with probability K/N = 0.3; bound as above.
TEST(Synth, AtomsAreUsedEquallyOften) {
    const SynthSet set = synthesize({.atoms = 10, .signals = 5000, .sparsity_min = 3, .sparsity_max = 3});
    for (std::size_t n = 0; n < 10; ++n) {
        int uses = 0;
        for (std::size_t l = 0; l < 5000; ++l) uses += set.codes(l, n) != 0.0;
        EXPECT_NEAR(uses, 1500, 5.5 * std::sqrt(5000 * 0.3 * 0.7)) << "atom " << n;
    }
}

TEST(Synth, AllAtomsCanBeUsed) {
    const SynthSet set = synthesize({.dim = 3, .atoms = 5, .signals = 7, .sparsity_min = 5, .sparsity_max = 5});
    for (std::size_t l = 0; l < 7; ++l) EXPECT_EQ(support_size(set.codes, l), 5u);
}

TEST(Synth, WithoutNoiseSignalsAreTheirAtoms) {
    const SynthSet set = synthesize({.snr_db = infinity});
    EXPECT_EQ(set.noise_sd, 0.0);
    const Matrix clean = clean_signals(set);
    for (std::size_t i = 0; i < clean.size(); ++i) EXPECT_NEAR(set.signals.data()[i], clean.data()[i], 1e-13);
}

// The noise has 20000 entries, so its energy has a relative standard deviation of sqrt(2 / 20000) = 0.01, or 0.043 dB;
// the bound is 5.5 of them.
TEST(Synth, NoiseIsAsStrongAsAsked) {
    for (const double snr_db : {-10.0, 0.0, 10.0, 30.0}) {
        const SynthSet set = synthesize({.snr_db = snr_db, .seed = 3});
        Matrix noise = set.signals;
        const Matrix clean = clean_signals(set);
        for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] -= clean.data()[i];
        EXPECT_NEAR(10.0 * std::log10(sum_of_squares(clean) / sum_of_squares(noise)), snr_db, 5.5 * 0.0435);
        const double expected_energy = set.noise_sd * set.noise_sd * 20000.0;
        EXPECT_NEAR(10.0 * std::log10(sum_of_squares(clean) / expected_energy), snr_db, 1e-9);
    }
}

TEST(Synth, SeedDecidesEverything) {
    const SynthSet first = synthesize({.seed = 11}), again = synthesize({.seed = 11});
    EXPECT_TRUE(same(first.signals, again.signals));
    EXPECT_TRUE(same(first.dictionary, again.dictionary));
    EXPECT_TRUE(same(first.codes, again.codes));
    EXPECT_EQ(first.noise_sd, again.noise_sd);

    for (const std::uint64_t other : {std::uint64_t{12}, std::uint64_t{11} + (std::uint64_t{1} << 32)}) {
        const SynthSet different = synthesize({.seed = other});
        EXPECT_FALSE(same(first.signals, different.signals)) << other;
        EXPECT_FALSE(same(first.dictionary, different.dictionary)) << other;
        EXPECT_FALSE(same(first.codes, different.codes)) << other;
    }
}

TEST(Synth, MoreSignalsKeepTheFirstOnes) {
    const SynthSet few = synthesize({.signals = 10}), many = synthesize({.signals = 100});
    EXPECT_TRUE(same(few.dictionary, many.dictionary));
    EXPECT_TRUE(std::equal(few.codes.data(), few.codes.data() + few.codes.size(), many.codes.data()));
}

std::string complaint(const SynthOptions& options) {
    try {
        synthesize(options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Synth, ImpossibleOptionsAreNamed) {
    EXPECT_EQ(complaint({.dim = 0}), "dim is 0, must be at least 1");
    EXPECT_EQ(complaint({.atoms = 0}), "atoms is 0, must be at least 1");
    EXPECT_EQ(complaint({.signals = 0}), "signals is 0, must be at least 1");
    EXPECT_EQ(complaint({.sparsity_min = 0}), "sparsity_min is 0, must be at least 1");
    EXPECT_EQ(complaint({.sparsity_min = 4, .sparsity_max = 3}),
              "sparsity_max is 4 to 3: the second number must not be below the first");
    EXPECT_EQ(complaint({.atoms = 5, .sparsity_max = 6}), "sparsity_max is 6, must be at most atoms, which is 5");
    EXPECT_EQ(complaint({.snr_db = std::numeric_limits<double>::quiet_NaN()}),
              "snr_db is nan dB, must be between -300 and 300, or inf for no noise");
    EXPECT_EQ(complaint({.snr_db = -infinity}), "snr_db is -inf dB, must be between -300 and 300, or inf for no noise");
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(complaint({.dim = huge}), "dim is 18446744073709551615, must be at most 2147483648");
    EXPECT_EQ(complaint({.atoms = std::size_t{1} << 31, .signals = std::size_t{1} << 47}),
              "140737488355328 x 2147483648 codes do not fit into memory");
}

TEST(Synth, ScaleIsAChangeOfUnits) {
    SynthOptions options;
    options.signals = 30;
    const SynthSet one = synthesize(options);
    options.scale = 8.0;  // a power of two, so that nothing is rounded
    const SynthSet other = synthesize(options);
    EXPECT_EQ(other.noise_sd, 8.0 * one.noise_sd);
    for (std::size_t i = 0; i < one.signals.size(); ++i)
        ASSERT_EQ(other.signals.data()[i], 8.0 * one.signals.data()[i]);
    for (std::size_t i = 0; i < one.dictionary.size(); ++i)
        ASSERT_EQ(other.dictionary.data()[i], one.dictionary.data()[i]);
    for (const double wrong : {0.0, -1.0, 1e101, std::nan("")}) {
        options.scale = wrong;
        EXPECT_THROW(synthesize(options), InputError) << wrong;
    }
}

}  // namespace
}  // namespace sbdl
