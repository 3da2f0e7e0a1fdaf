// Codes under a fixed model where the truth is known: the model is the synthetic set's own dictionary and noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

// What the learner would have seen: signals / unit, and atoms of some arbitrary norm.
Model true_model(const SynthSet& set, const std::string& method, double unit) {
    Model model;
    model.method = method;
    model.dictionary = set.dictionary;
    model.noise_sd = unit * set.noise_sd;
    model.unit = 2.0 * unit;
    for (std::size_t n = 0; n < set.dictionary.rows(); ++n) model.atom_norm.push_back(0.5 + 0.1 * double(n));
    if (method == "on_off") {
        model.method = "gibbs";
        model.atom_norm.assign(model.atom_norm.size(), 1.0);
        double on = 0.0, energy = 0.0;
        for (std::size_t i = 0; i < set.codes.size(); ++i) {
            const double code = set.codes.data()[i] / 2.0;  // in the learner's units
            on += code != 0.0 ? 1.0 : 0.0;
            energy += code * code;
        }
        model.on_off = OnOffPrior{
            .code_precision = on / energy,
            .atom_probability = std::vector<double>(set.dictionary.rows(), on / static_cast<double>(set.codes.size()))};
        return model;
    }
    model.sbdl =
        SbdlPrior{.code_shape = 0.5, .code_rate = method == "vb" ? 1e-6 : 0.02 * std::pow(set.noise_sd / 2.0, 2)};
    return model;
}

class EncodePosterior : public ::testing::TestWithParam<std::string> {};

// Each signal uses two of twelve atoms. Least squares that is given these two would err by about the noise in each. A
// chain can stay with a wrong pair of atoms for its whole run, so a few signals may be far off.
TEST_P(EncodePosterior, CodesAreNearTheTruthInAnyUnits) {
    for (const double unit : {1.0, 1e5}) {
        SynthSet set = easy_set(300, 20.0, 3);
        for (std::size_t i = 0; i < set.signals.size(); ++i) set.signals.data()[i] *= unit;
        const Codes codes = encode(true_model(set, GetParam(), unit), set.signals, PosteriorCoderOptions{},
                                   {.execution = {.threads = 1}, .seed = 1});
        std::vector<double> errors;  // per signal, in noise standard deviations
        double within = 0.0;
        for (std::size_t l = 0; l < set.codes.rows(); ++l) {
            double error = 0.0;
            for (std::size_t n = 0; n < set.codes.cols(); ++n) {
                const double off = codes.dense(l, n) - unit * set.codes(l, n);
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
    const Codes one = encode(model, set.signals, few, {.execution = {.threads = 1}, .seed = 1});
    for (const int threads : {2, 3}) {
        const Codes several = encode(model, set.signals, few, {.execution = {.threads = threads}, .seed = 1});
        EXPECT_TRUE(std::equal(one.dense.data(), one.dense.data() + one.dense.size(), several.dense.data()));
        EXPECT_TRUE(std::equal(one.std.data(), one.std.data() + one.std.size(), several.std.data()));
    }
}

TEST_P(EncodePosterior, BlocksComeInOrderAndAgreeWithAllAtOnce) {
    const SynthSet set = easy_set(700, 20.0, 3);  // more than one thread's portion
    const Model model = true_model(set, GetParam(), 1.0);
    const PosteriorCoderOptions few{.burn_in = 1, .draws = 2};
    const Context context{.execution = {.threads = 1}};
    const Codes all = encode(model, set.signals, few, context);
    std::size_t next = 0;
    encode(model, MemorySource{set.signals}, few, context, [&](const Codes& block) {
        EXPECT_EQ(block.first, next);
        EXPECT_EQ(block.dense.cols(), model.atom_count());
        ASSERT_EQ(block.std.rows(), block.dense.rows());
        for (std::size_t i = 0; i < block.dense.rows(); ++i) {
            EXPECT_TRUE(std::ranges::equal(block.dense.row(i), all.dense.row(next + i)));
            EXPECT_TRUE(std::ranges::equal(block.std.row(i), all.std.row(next + i)));
        }
        next += block.dense.rows();
    });
    EXPECT_EQ(next, 700U);
}

TEST_P(EncodePosterior, ApartFromTheOthersASignalHasTheSameCode) {
    const SynthSet set = easy_set(300, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const PosteriorCoderOptions few{.burn_in = 3, .draws = 5};
    const Context context{.execution = {.threads = 1}, .seed = 1};
    const Codes all = encode(model, set.signals, few, context);
    for (const std::size_t first : {128, 256}) {
        PosteriorCoderOptions later = few;
        later.first = first;
        const MatrixView rest{set.signals.row(first).data(), set.signals.rows() - first, set.signals.cols()};
        const Codes some = encode(model, rest, later, context);
        for (std::size_t i = 0; i < rest.rows; ++i) {
            EXPECT_TRUE(std::ranges::equal(some.dense.row(i), all.dense.row(first + i)));
            EXPECT_TRUE(std::ranges::equal(some.std.row(i), all.std.row(first + i)));
        }
    }
}

TEST_P(EncodePosterior, KernelSetsAgree) {
    const SynthSet set = easy_set(140, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const PosteriorCoderOptions few{.burn_in = 2, .draws = 4};
    const Codes cpu = encode(model, set.signals, few, {.execution = {.threads = 1, .kernels = "cpu"}, .seed = 1});
    const Codes reference =
        encode(model, set.signals, few, {.execution = {.threads = 1, .kernels = "reference"}, .seed = 1});
    for (std::size_t i = 0; i < cpu.dense.size(); ++i) {
        ASSERT_NEAR(cpu.dense.data()[i], reference.dense.data()[i], 1e-6);
        ASSERT_NEAR(cpu.std.data()[i], reference.std.data()[i], 1e-6);
    }
}

TEST_P(EncodePosterior, RejectsWhatDoesNotFit) {
    const SynthSet set = easy_set(20, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const Matrix longer(5, 11, 1.0);
    const auto nowhere = [](const Codes&) { FAIL() << "codes of rejected signals"; };
    const auto call = [&](const Matrix& signals, const PosteriorCoderOptions& options) {
        encode(model, MemorySource{signals}, options, {.execution = {.threads = 1}}, nowhere);
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
        const Codes codes = encode(model, signals, PosteriorCoderOptions{}, {.execution = {.threads = 1}});
        for (std::size_t i = 0; i < codes.dense.size(); ++i)
            ASSERT_TRUE(std::isfinite(codes.dense.data()[i]) && std::isfinite(codes.std.data()[i]));
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, EncodePosterior, ::testing::Values("gibbs", "vb", "on_off"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(EncodePosterior, NeighboursDoNotMatter) {
    SynthSet set = easy_set(100, 20.0, 3);
    const Model model = true_model(set, GetParam(), 1.0);
    const Codes quiet = encode(model, set.signals, PosteriorCoderOptions{}, {.execution = {.threads = 1}, .seed = 1});
    for (double& y : set.signals.row(99)) y *= 1e6;
    const Codes disturbed =
        encode(model, set.signals, PosteriorCoderOptions{}, {.execution = {.threads = 1}, .seed = 1});
    for (std::size_t l = 0; l < 99; ++l)
        for (std::size_t n = 0; n < model.atom_count(); ++n)
            ASSERT_NEAR(disturbed.dense(l, n), quiet.dense(l, n), 1e-6) << l << ' ' << n;
}

// A missing entry is no evidence: a signal with few left is known less well. Whole signals are coded as ever.
TEST(PosteriorCodes, UseTheObservedEntries) {
    const SynthSet set = easy_set(60, 20.0, 3);
    const Model model = true_model(set, "on_off", 1.0);
    const Context context{.execution = {.threads = 1}, .seed = 2};
    const Codes whole = encode(model, set.signals, PosteriorCoderOptions{}, context);
    Matrix holes = set.signals;
    for (std::size_t l = 0; l < holes.rows(); l += 2)
        for (std::size_t m = 0; m < 4; ++m) holes(l, m) = std::numeric_limits<double>::quiet_NaN();
    const Codes codes = encode(model, holes, PosteriorCoderOptions{}, context);
    double spread = 0.0, whole_spread = 0.0;
    for (std::size_t l = 0; l < holes.rows(); ++l)
        for (std::size_t n = 0; n < set.codes.cols(); ++n) {
            ASSERT_TRUE(std::isfinite(codes.dense(l, n)));
            if (l % 2 == 1) {
                EXPECT_EQ(codes.dense(l, n), whole.dense(l, n));
                continue;
            }
            spread += codes.std(l, n);
            whole_spread += whole.std(l, n);
        }
    EXPECT_GT(spread, 1.2 * whole_spread);
}

// The standard deviations say how far codes and the entries made of them are from the truth. All entries are counted
// that are not surely zero; under the model, 90 % of the errors are within 1.645 standard deviations where the
// posterior is Gaussian, and more where an entry may be off. A chain that stays with a wrong pair of atoms has errors
// of many standard deviations.
TEST(PosteriorCodes, StandardDeviationsCoverTheTruthWhereEntriesAreMissing) {
    const SynthSet set = easy_set(800, 20.0, 3);
    const Matrix holes = with_random_gaps(set.signals, 0.4);
    for (const char* kind : {"on_off", "gibbs"}) {
        SCOPED_TRACE(kind);
        const Codes codes = encode(true_model(set, kind, 1.0), holes, PosteriorCoderOptions{},
                                   {.execution = {.threads = 1}, .seed = 2});
        double counted = 0.0, within = 0.0;
        for (std::size_t l = 0; l < set.codes.rows(); ++l)
            for (std::size_t n = 0; n < set.codes.cols(); ++n) {
                if (codes.std(l, n) < 0.5 * set.noise_sd) continue;
                const double z = std::abs(codes.dense(l, n) - set.codes(l, n)) / codes.std(l, n);
                counted += 1.0;
                within += z < 1.645 ? 1.0 : 0.0;
            }
        EXPECT_GT(counted, 1000.0);
        EXPECT_GT(within / counted, 0.88);
    }
}

// The atoms are off by as much as the model says, which nearly doubles the noise. About 1700 entries are counted, and
// the errors of codes that share an atom are correlated: a standard error is roughly one point. By that estimate an
// untried seed fails one of the four levels with probability below 1e-3.
TEST(PosteriorCodes, StandardDeviationsCoverTheTruthWhereAtomsAreUncertain) {
    const SynthSet set = synthesize({.signals = 600, .sparsity_min = 3, .sparsity_max = 3, .snr_db = 20.0, .seed = 4});
    Model model = true_model(set, "on_off", 1.0);
    constexpr double spread = 0.02;
    model.dictionary_std = Matrix(set.dictionary.rows(), set.dictionary.cols(), spread);
    Numbers numbers(8);
    for (std::size_t n = 0; n < set.dictionary.rows(); ++n) {
        double squares = 0.0;
        for (double& entry : model.dictionary.row(n)) {
            entry += spread * numbers.normal();
            squares += entry * entry;
        }
        for (double& entry : model.dictionary.row(n)) entry /= std::sqrt(squares);
    }
    const Codes codes = encode(model, set.signals, PosteriorCoderOptions{}, {.execution = {.threads = 1}, .seed = 2});
    std::vector<double> z;
    for (std::size_t i = 0; i < set.codes.size(); ++i)
        if (codes.probability.data()[i] >= 0.5)
            z.push_back(std::abs(codes.dense.data()[i] - set.codes.data()[i]) / codes.std.data()[i]);
    EXPECT_GT(z.size(), 1500U);
    for (const auto& [level, width] : {std::pair{0.5, 0.674}, {0.8, 1.282}, {0.9, 1.645}, {0.95, 1.960}}) {
        const auto within = std::count_if(z.begin(), z.end(), [w = width](double each) { return each < w; });
        EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(z.size()), level, 0.05) << level;
    }
}

TEST(PosteriorCodes, RefuseASignalWithoutAnyEntry) {
    const SynthSet set = easy_set(20, 20.0, 3);
    Matrix holes = set.signals;
    holes(3, 4) = std::numeric_limits<double>::quiet_NaN();
    for (double& value : holes.row(7)) value = std::numeric_limits<double>::quiet_NaN();
    for (const char* kind : {"on_off", "gibbs", "vb"})
        expect_error<InputError>([&] { encode(true_model(set, kind, 1.0), holes, PosteriorCoderOptions{}); },
                                 {"every entry of row 7"});
}

TEST(PosteriorCodes, NeedAModelThatHasThem) {
    const SynthSet set = easy_set(5, 20.0, 3);
    for (const char* method : {"gibbs", "vb", "on_off"}) EXPECT_TRUE(has_code_posterior(true_model(set, method, 1.0)));
    Model model = true_model(set, "on_off", 1.0);
    model.method = "of a newer program";
    EXPECT_TRUE(has_code_posterior(model));
    model.on_off->code_precision = 0.0;  // unknown
    EXPECT_FALSE(has_code_posterior(model));
    model = true_model(set, "gibbs", 1.0);
    model.method = "ksvd";
    EXPECT_FALSE(has_code_posterior(model));
}

TEST(SparseCodesOfThePosterior, AreZeroWhereOffIsMoreLikely) {
    const SynthSet set = easy_set(200, 20.0, 3);
    const Model model = true_model(set, "on_off", 1.0);
    const Codes mean = encode(model, set.signals, PosteriorCoderOptions{});
    const Codes sparse = encode(model, set.signals, PosteriorCoderOptions{.sparse = true});
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < mean.dense.size(); ++i) {
        const double probability = mean.probability.data()[i];
        ASSERT_EQ(sparse.probability.data()[i], probability);
        ASSERT_EQ(sparse.dense.data()[i], probability < 0.5 ? 0.0 : mean.dense.data()[i]);
        ASSERT_EQ(sparse.std.data()[i], probability < 0.5 ? 0.0 : mean.std.data()[i]);
        zeros += probability < 0.5 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(zeros), static_cast<double>(mean.dense.size()) * 10.0 / 12.0, 60.0);
    expect_error<InputError>(
        [&] { encode(true_model(set, "gibbs", 1.0), set.signals, PosteriorCoderOptions{.sparse = true}); },
        {"sparse codes need a model with on/off codes", "gibbs"});
}

double rms_error(const Matrix& codes, const Matrix& truth) {
    double sum = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) sum += std::pow(codes.data()[i] - truth.data()[i], 2);
    return std::sqrt(sum / static_cast<double>(truth.size()));
}

// The paper's recipe, with the dictionary and the noise known. The posterior mean is the estimate of least expected
// square error, so a coder that samples the posterior is no worse than OMP, although OMP is given the number of atoms
// of a signal.
TEST(PosteriorCodes, AreAtLeastAsAccurateAsOmpWithTheTrueSparsity) {
    for (const std::size_t sparsity : {3u, 5u}) {
        SCOPED_TRACE(sparsity);
        const SynthSet set =
            synthesize({.signals = 500, .sparsity_min = sparsity, .sparsity_max = sparsity, .snr_db = 30.0, .seed = 4});
        const Model model = true_model(set, "on_off", 1.0);
        const Context context{.execution = {.threads = 1}, .seed = 1};
        const Matrix posterior = encode(model, set.signals, PosteriorCoderOptions{}, context).as_matrix();
        const Matrix omp =
            encode(set.dictionary, set.signals, OmpOptions{.max_nonzeros = sparsity}, context).as_matrix();
        EXPECT_LE(rms_error(posterior, set.codes), rms_error(omp, set.codes));
    }
}

}  // namespace
}  // namespace sbdl::test
