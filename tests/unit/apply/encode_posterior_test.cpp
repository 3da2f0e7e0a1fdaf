// Codes under a model held fixed, where the truth is known: the model is the synthetic set's own dictionary and noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"

namespace sbdl::test {
namespace {

// What the learner would have seen: signals / unit, atoms of some norm of its own.
Model true_model(const SynthSet& set, const std::string& method, double unit) {
    Model model;
    model.method = method;
    model.dictionary = set.dictionary;
    model.noise_sd = unit * set.noise_sd;
    model.unit = 2.0 * unit;
    for (std::size_t n = 0; n < set.dictionary.rows(); ++n) model.atom_norm.push_back(0.5 + 0.1 * double(n));
    model.sbdl =
        SbdlPrior{.code_shape = 0.5, .code_rate = method == "vb" ? 1e-6 : 0.02 * std::pow(set.noise_sd / 2.0, 2)};
    return model;
}

struct Codes {
    Matrix mean, std;
};

Codes encode(const Model& model, const Matrix& signals, const Context& context,
             const PosteriorCoderOptions& options = {}) {
    Codes codes{Matrix(signals.rows(), model.atom_count()), Matrix(signals.rows(), model.atom_count())};
    std::size_t expected = 0;
    encode_posterior(model, MemorySource{signals}, options, context,
                     [&](std::size_t first, MatrixView mean, MatrixView std) {
                         EXPECT_EQ(first, expected) << "blocks come in order";
                         EXPECT_EQ(mean.cols, model.atom_count());
                         EXPECT_EQ(std.rows, mean.rows);
                         std::copy(mean.data, mean.data + mean.rows * mean.cols, codes.mean.row(first).data());
                         std::copy(std.data, std.data + std.rows * std.cols, codes.std.row(first).data());
                         expected = first + mean.rows;
                     });
    EXPECT_EQ(expected, signals.rows());
    return codes;
}

class EncodePosterior : public ::testing::TestWithParam<std::string> {};

// Two of twelve atoms a signal: least squares told which would err by about the noise in each of the two. A chain can
// stay with a wrong pair of atoms for longer than it runs, so a few signals may be far off.
TEST_P(EncodePosterior, CodesAreNearTheTruthInAnyUnits) {
    for (const double unit : {1.0, 1e5}) {
        SynthSet set = easy_set(300, 20.0, 3);
        for (std::size_t i = 0; i < set.signals.size(); ++i) set.signals.data()[i] *= unit;
        const Codes codes =
            encode(true_model(set, GetParam(), unit), set.signals, {.execution = {.threads = 1}, .seed = 1});
        std::vector<double> errors;  // a signal, in noise standard deviations
        double within = 0.0;
        for (std::size_t l = 0; l < set.codes.rows(); ++l) {
            double error = 0.0;
            for (std::size_t n = 0; n < set.codes.cols(); ++n) {
                const double off = codes.mean(l, n) - unit * set.codes(l, n);
                error += off * off;
                ASSERT_TRUE(std::isfinite(codes.std(l, n)) && codes.std(l, n) >= 0.0);
                if (std::abs(off) < 4.0 * codes.std(l, n) + 0.1 * unit * set.noise_sd) within += 1.0;
            }
            errors.push_back(std::sqrt(error) / (unit * set.noise_sd));
        }
        std::sort(errors.begin(), errors.end());
        EXPECT_LT(errors[errors.size() / 2], 2.0 * std::sqrt(2.0));
        EXPECT_LT(errors[errors.size() * 95 / 100], 5.0 * std::sqrt(2.0));
        EXPECT_GT(within / static_cast<double>(set.codes.size()), 0.97);
    }
}

TEST_P(EncodePosterior, DoesNotDependOnThreads) {
    const SynthSet set = easy_set(300, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const PosteriorCoderOptions few{.burn_in = 3, .draws = 5};
    const Codes one = encode(model, set.signals, {.execution = {.threads = 1}, .seed = 1}, few);
    for (const int threads : {2, 3}) {
        const Codes several = encode(model, set.signals, {.execution = {.threads = threads}, .seed = 1}, few);
        EXPECT_TRUE(std::equal(one.mean.data(), one.mean.data() + one.mean.size(), several.mean.data()));
        EXPECT_TRUE(std::equal(one.std.data(), one.std.data() + one.std.size(), several.std.data()));
    }
}

TEST_P(EncodePosterior, KernelSetsAgree) {
    const SynthSet set = easy_set(140, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const PosteriorCoderOptions few{.burn_in = 2, .draws = 4};
    const Codes cpu = encode(model, set.signals, {.execution = {.threads = 1, .kernels = "cpu"}, .seed = 1}, few);
    const Codes reference =
        encode(model, set.signals, {.execution = {.threads = 1, .kernels = "reference"}, .seed = 1}, few);
    for (std::size_t i = 0; i < cpu.mean.size(); ++i) {
        ASSERT_NEAR(cpu.mean.data()[i], reference.mean.data()[i], 1e-6);
        ASSERT_NEAR(cpu.std.data()[i], reference.std.data()[i], 1e-6);
    }
}

TEST_P(EncodePosterior, RejectsWhatDoesNotFit) {
    const SynthSet set = easy_set(20, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const Matrix longer(5, 11, 1.0);
    const auto nowhere = [](std::size_t, MatrixView, MatrixView) { FAIL() << "codes of rejected signals"; };
    const auto call = [&](const Matrix& signals, const PosteriorCoderOptions& options) {
        encode_posterior(model, MemorySource{signals}, options, {.execution = {.threads = 1}}, nowhere);
    };
    expect_error<InputError>([&] { call(longer, {}); }, {"signals in memory", "11", "10"});
    expect_error<InputError>([&] { call(set.signals, {.burn_in = -1}); }, {"burn_in", "-1"});
    expect_error<InputError>([&] { call(set.signals, {.draws = 0}); }, {"draws", "0"});
    Matrix broken = set.signals;
    broken(3, 2) = INFINITY;
    expect_error<InputError>([&] { call(broken, {}); }, {"inf"});
}

// A model of noise-free signals, and signals that are all zero.
TEST_P(EncodePosterior, ExtremesStayFinite) {
    const SynthSet set = easy_set(20, 20.0, 3);
    Model model = true_model(set, GetParam(), 1.0);
    model.noise_sd = 0.0;
    for (const Matrix& signals : {set.signals, Matrix(20, 10)}) {
        const Codes codes = encode(model, signals, {.execution = {.threads = 1}});
        for (std::size_t i = 0; i < codes.mean.size(); ++i)
            ASSERT_TRUE(std::isfinite(codes.mean.data()[i]) && std::isfinite(codes.std.data()[i]));
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, EncodePosterior, ::testing::Values("gibbs", "vb"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(EncodePosterior, NeighboursDoNotMatter) {
    SynthSet set = easy_set(100, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const Codes quiet = encode(model, set.signals, {.execution = {.threads = 1}, .seed = 1});
    for (double& y : set.signals.row(99)) y *= 1e6;
    const Codes disturbed = encode(model, set.signals, {.execution = {.threads = 1}, .seed = 1});
    for (std::size_t l = 0; l < 99; ++l)
        for (std::size_t n = 0; n < model.atom_count(); ++n)
            ASSERT_NEAR(disturbed.mean(l, n), quiet.mean(l, n), 1e-6) << l << ' ' << n;
}

}  // namespace
}  // namespace sbdl::test
