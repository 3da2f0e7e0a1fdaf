// Signals: the noise is inferred, the signal comes closer to the truth, the standard deviations match the errors.
#include "sbdl/denoise_signal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include "denoise/signal_noise.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

using Signal = std::vector<double>;

/// Beats of three waves each, as in an ECG.
Signal beats(std::size_t samples) {
    Signal signal(samples);
    for (std::size_t i = 0; i < samples; ++i) {
        const double at = std::fmod(static_cast<double>(i), 290.0);
        const auto bump = [at](double centre, double width) {
            return std::exp(-0.5 * std::pow((at - centre) / width, 2));
        };
        signal[i] = 0.15 * bump(60, 9) + bump(130, 4) - 0.25 * bump(141, 4) + 0.3 * bump(220, 18);
    }
    return signal;
}

Signal noisy_version(Signal signal, double sd, double correlation = 0.0) {
    test::Numbers numbers(7);
    double before = 0.0;
    for (double& sample : signal) {
        before = correlation * before + std::sqrt(1.0 - correlation * correlation) * sd * numbers.normal();
        sample += before;
    }
    return signal;
}

double error_of(const Signal& truth, const Signal& signal) {
    double squares = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) squares += (signal[i] - truth[i]) * (signal[i] - truth[i]);
    return std::sqrt(squares / static_cast<double>(truth.size()));
}

DenoiseOptions few_atoms_of() {
    DenoiseOptions options;
    options.atoms = 96;
    return options;
}

TEST(SignalNoise, IsFoundBesideBeatsASweepAndSilence) {
    constexpr std::size_t samples = 8192;
    Signal sweep(samples), silent = noisy_version(Signal(samples), 0.1);
    for (std::size_t i = 0; i < samples; ++i) {
        const double t = static_cast<double>(i) / samples;
        sweep[i] = std::sin(2.0 * std::numbers::pi * 1000.0 * t * t);
    }
    std::fill(silent.begin() + 1000, silent.begin() + 5000, 0.0);
    EXPECT_NEAR(estimate_signal_noise(noisy_version(beats(samples), 0.1)).sd, 0.1, 0.005);
    EXPECT_NEAR(estimate_signal_noise(noisy_version(sweep, 0.1)).sd, 0.1, 0.005);
    EXPECT_NEAR(estimate_signal_noise(silent).sd, 0.1, 0.005);
    EXPECT_EQ(estimate_signal_noise(Signal(samples, 3.0)).sd, 0.0);
}

TEST(SignalNoise, IsWhiteOrNotWhateverTheSignal) {
    constexpr std::size_t samples = 8192;
    Signal tone(samples), binomial(samples);
    for (std::size_t i = 0; i < samples; ++i) tone[i] = std::sin(0.9 * static_cast<double>(i));
    const Signal white = noisy_version(Signal(samples + 4), 0.1);
    for (std::size_t i = 0; i < samples; ++i)
        binomial[i] = (white[i] + 4.0 * white[i + 1] + 6.0 * white[i + 2] + 4.0 * white[i + 3] + white[i + 4]) / 16.0;
    for (const Signal& signal : {beats(samples), tone, Signal(samples)})
        EXPECT_EQ(estimate_signal_noise(noisy_version(signal, 0.1)).colour, 1.0);
    for (const Signal& signal : {beats(samples), tone, Signal(samples)}) {
        EXPECT_GT(estimate_signal_noise(noisy_version(signal, 0.1, 0.7)).colour, 1.17);
        EXPECT_LT(estimate_signal_noise(noisy_version(signal, 0.1, -0.7)).colour, 1.0 / 1.17);
    }
    EXPECT_GT(estimate_signal_noise(binomial).colour, 3.0);
}

TEST(DenoiseSignal, RemovesNoiseOfUnknownStrengthAndKnowsItsErrors) {
    const Signal truth = beats(6000), noisy = noisy_version(truth, 0.1);
    DenoiseOptions options = few_atoms_of();
    options.std = true;
    const SignalResult result = denoise_signal(noisy, options);
    EXPECT_NEAR(result.noise_sd, 0.1, 0.005);
    EXPECT_FALSE(result.noise_given);
    EXPECT_EQ(result.model.method, "online");
    EXPECT_EQ(result.model.signal_dim(), 64U);
    EXPECT_LT(error_of(truth, result.signal), 0.35 * error_of(truth, noisy));
    EXPECT_TRUE(result.warnings.empty());
    std::size_t within = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
        within += std::abs(result.signal[i] - truth[i]) <= 2.0 * result.std[i] ? 1 : 0;
    EXPECT_GT(static_cast<double>(within), 0.9 * static_cast<double>(truth.size()));
}

TEST(DenoiseSignal, ThreadsDoNotChangeTheResult) {
    const Signal noisy = noisy_version(beats(9000), 0.1);
    DenoiseOptions options = few_atoms_of();
    options.method = "dct";
    options.std = true;
    Context context;
    context.execution.threads = 1;
    const SignalResult one = denoise_signal(noisy, options, {}, context);
    context.execution.threads = 3;
    const SignalResult three = denoise_signal(noisy, options, {}, context);
    EXPECT_EQ(one.signal, three.signal);
    EXPECT_EQ(one.std, three.std);
}

TEST(DenoiseSignal, AShortOneIsCleanedWithCosines) {
    const Signal truth = beats(900), noisy = noisy_version(truth, 0.1);
    const SignalResult result = denoise_signal(noisy, few_atoms_of());
    EXPECT_EQ(result.model.method, "dct");
    EXPECT_LT(error_of(truth, result.signal), 0.6 * error_of(truth, noisy));
    EXPECT_TRUE(result.std.empty());
}

TEST(DenoiseSignal, ADictionaryCanBeUsedAgain) {
    const Signal first = noisy_version(beats(1500), 0.1);
    const SignalResult learned = denoise_signal(first, few_atoms_of());
    DenoiseOptions options;
    options.model = &learned.model;
    EXPECT_EQ(denoise_signal(first, options).signal, learned.signal);
    SignalOptions wider;
    wider.window = 65;
    test::expect_error<InputError>([&] { denoise_signal(first, options, wider); }, {"64 entries", "65 samples"});
}

TEST(DenoiseSignal, UnitsAndOffsetsChangeNothingElse) {
    const Signal noisy = noisy_version(beats(1500), 0.1);
    Signal scaled = noisy;
    for (double& sample : scaled) sample = 1e6 + 4.0 * sample;
    const SignalResult one = denoise_signal(noisy, few_atoms_of()), other = denoise_signal(scaled, few_atoms_of());
    EXPECT_NEAR(other.noise_sd, 4.0 * one.noise_sd, 1e-6);
    for (std::size_t i = 0; i < noisy.size(); ++i) ASSERT_NEAR(other.signal[i], 1e6 + 4.0 * one.signal[i], 1e-3) << i;
}

TEST(DenoiseSignal, NoiseThatIsNotWhiteIsNamed) {
    const SignalResult result = denoise_signal(noisy_version(beats(6000), 0.1, 0.7), few_atoms_of());
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings[0].find("the noise is not white"), std::string::npos);
}

TEST(DenoiseSignal, WithoutNoiseItIsLeftAsItIs) {
    const Signal constant(500, 2.0);
    const SignalResult result = denoise_signal(constant);
    EXPECT_TRUE(result.unchanged);
    EXPECT_EQ(result.signal, constant);
}

TEST(DenoiseSignal, NoiseAloneIsNamed) {
    const SignalResult result = denoise_signal(noisy_version(Signal(3000), 1.0), few_atoms_of());
    EXPECT_TRUE(result.only_noise);
    EXPECT_NEAR(result.noise_sd, 1.0, 0.05);
}

TEST(DenoiseSignal, WhatCannotBeDoneIsNamed) {
    const auto rejects = [](const Signal& signal, const DenoiseOptions& options,
                            std::initializer_list<std::string_view> words) {
        test::expect_error<InputError>([&] { denoise_signal(signal, options); }, words);
    };
    rejects(Signal(127), {}, {"127 samples", "128"});
    Signal broken(500, 1.0);
    broken[17] = std::numeric_limits<double>::quiet_NaN();
    rejects(broken, {}, {"sample 17", "nan", "interpolate"});
    broken[17] = 1e61;
    rejects(broken, {}, {"1e+60"});
    DenoiseOptions options;
    options.recipe = Recipe::paper;
    rejects(Signal(500), options, {"recipe does not apply to signals"});
    options = {};
    options.gain = 2.0;
    rejects(Signal(500), options, {"gain does not apply to signals"});
    SignalOptions narrow;
    narrow.window = 7;
    test::expect_error<InputError>([&] { denoise_signal(Signal(500), {}, narrow); }, {"window is 7", "8"});
}

}  // namespace
}  // namespace sbdl
