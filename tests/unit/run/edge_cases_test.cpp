// Signals that are hardly signals: nothing in any output may be NaN or infinite, for both methods and both presets.
// Only these may be NaN: diagnostics, where there are too few kept sweeps or no spread among them, and for VB; and VB's
// objective while it settles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/model_check.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/online.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

constexpr std::size_t dim = 6;

struct EdgeCase {
    std::string name;
    std::function<Matrix()> signals;
};

Matrix noise(std::size_t count, std::size_t length = dim) {
    Numbers numbers(121);
    Matrix rows(count, length);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = numbers.normal();
    return rows;
}

Matrix scaled(Matrix rows, const std::function<double(std::size_t)>& factor) {
    for (std::size_t l = 0; l < rows.rows(); ++l)
        for (double& value : rows.row(l)) value *= factor(l);
    return rows;
}

const std::vector<EdgeCase> edge_cases = {
    {"all_zero", [] { return Matrix(20, dim); }},
    {"constant", [] { return Matrix(20, dim, 3.5); }},
    {"duplicated",
     [] {
         Matrix rows = noise(30);
         for (std::size_t l = 3; l < rows.rows(); ++l)
             std::copy(rows.row(l % 3).begin(), rows.row(l % 3).end(), rows.row(l).begin());
         return rows;
     }},
    {"one_signal", [] { return noise(1); }},
    {"one_zero_signal", [] { return Matrix(1, dim); }},
    {"fewer_signals_than_atoms", [] { return noise(5); }},
    {"signals_of_one_entry", [] { return noise(40, 1); }},
    {"one_entry_that_is_not_zero",
     [] {
         Matrix rows(25, dim);
         rows(7, 2) = 1.0;
         return rows;
     }},
    {"noise_free",
     [] {
         return synthesize({.dim = dim,
                            .atoms = 8,
                            .signals = 140,
                            .sparsity_min = 1,
                            .sparsity_max = 2,
                            .snr_db = std::numeric_limits<double>::infinity(),
                            .seed = 4})
             .signals;
     }},
    {"two_hundred_decibels_across_signals",
     [] { return scaled(noise(60), [](std::size_t l) { return std::pow(10.0, -5.0 + 10.0 * double(l) / 59.0); }); }},
    {"mostly_empty", [] { return scaled(noise(60), [](std::size_t l) { return l % 20 == 0 ? 1.0 : 0.0; }); }},
    {"tiny_units", [] { return scaled(noise(40), [](std::size_t) { return 1e-100; }); }},
    {"huge_units", [] { return scaled(noise(40), [](std::size_t) { return 1e60; }); }},
};

class EdgeCases : public ::testing::TestWithParam<std::tuple<std::size_t, Preset>> {
protected:
    static const EdgeCase& edge_case() { return edge_cases[std::get<0>(GetParam())]; }
    static Preset preset() { return std::get<1>(GetParam()); }

    template <class Options>
    static void expect_finite(const Options& options, bool objective_from_the_start,
                              std::size_t without_at_the_end = 0) {
        const Matrix rows = edge_case().signals();
        const MemorySource source{rows};
        const TrainResult result = train(source, options, {.execution = {.threads = 1}, .seed = 2});
        const Model& model = result.model;
        EXPECT_NO_THROW(check_model(model, "the model"));  // sizes, finite values, signs
        for (std::size_t n = 0; n < model.atom_count(); ++n) {
            double norm_sq = 0.0;
            for (const double value : model.dictionary.row(n)) norm_sq += value * value;
            // VB may switch an atom off: its mean is then zero, and stays zero.
            EXPECT_TRUE(std::abs(norm_sq - 1.0) < 1e-12 || (norm_sq == 0.0 && model.method == "vb")) << "atom " << n;
        }
        for (std::size_t i = 0; i + without_at_the_end < model.trace.objective.size(); ++i)
            if (objective_from_the_start || model.trace.kept[i] == 1) {
                ASSERT_TRUE(std::isfinite(model.trace.objective[i])) << "sweep " << i + 1;
            }
        EXPECT_EQ(model.codes.rows(), rows.rows());
        EXPECT_EQ(model.codes.cols(), 8u);
        // A single draw, as of the paper's preset, has no spread.
        const auto kept = std::count(model.trace.kept.begin(), model.trace.kept.end(), 1);
        EXPECT_EQ(model.codes_std.rows(), kept >= 2 || model.method == "vb" ? rows.rows() : 0U);
        EXPECT_EQ(model.dictionary_std.empty(), kept < 2 && model.method != "vb");
    }
};

TEST_P(EdgeCases, GibbsStaysFinite) {
    GibbsOptions options = GibbsOptions::preset(preset(), 8);
    options.burn_in = std::min(options.burn_in, 150);
    options.draws = std::min(options.draws, 20);
    options.keep_codes = true;
    for (const DictionaryUpdate update : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
        options.update = update;
        expect_finite(options, true);
    }
}

TEST_P(EdgeCases, VbStaysFinite) {
    VbOptions options = VbOptions::preset(preset(), 8);
    options.keep_codes = true;
    options.closing_sweeps = 40;
    options.most_closing_sweeps = 0;
    if (options.prior == CodePrior::on_off) expect_finite(options, false, 40);
    options.prior = CodePrior::student_t;
    for (const DictionaryUpdate update : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
        options.update = update;
        expect_finite(options, options.start_sweeps == 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Signals, EdgeCases,
                         ::testing::Combine(::testing::Range(std::size_t{0}, edge_cases.size()),
                                            ::testing::Values(Preset::standard, Preset::paper)),
                         [](const auto& each) {
                             return edge_cases[std::get<0>(each.param)].name + "_" +
                                    std::string(to_string(std::get<1>(each.param)));
                         });

TEST(EdgeCaseAtoms, OneAtomAndManyMoreAtomsThanSignalsWork) {
    const Matrix rows = noise(4);
    const MemorySource source{rows};
    for (const int atoms : {1, 60}) {
        EXPECT_NO_THROW(check_model(train(source, short_gibbs(atoms), {.execution = {.threads = 1}}).model, "gibbs"));
        EXPECT_NO_THROW(check_model(train(source, short_vb(atoms), {.execution = {.threads = 1}}).model, "vb"));
    }
}

TEST(BadInput, IsRejectedBeforeAnythingRuns) {
    Matrix rows = noise(4);
    const MemorySource source{rows};
    expect_error<InputError>([&] { train(source, GibbsOptions::preset(Preset::standard, 0)); }, {"atoms", "0", "1"});
    expect_error<InputError>([&] { train(source, VbOptions::preset(Preset::standard, 0)); }, {"atoms", "0", "1"});
    expect_error<InputError>([&] { train(source, short_gibbs(3), {.execution = {.kernels = "gpu"}}); }, {"gpu", "cpu"});
    expect_error<InputError>([&] { train(source, short_vb(3), {.execution = {.kernels = "gpu"}}); }, {"gpu", "cpu"});
    expect_error<InputError>([&] { train(source, short_vb(3), {.execution = {.threads = -1}}); }, {"threads", "-1"});
    rows(2, 1) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { train(source, short_vb(3)); }, {"inf"});
    rows(2, 1) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { train(source, short_gibbs(3)); }, {"inf"});
}

/// Continues from a model and checks that each atom has unit norm or was switched off by VB.
template <class Options>
void expect_goes_on(const Options& options, const Model& start) {
    const Matrix rows = noise(40);
    const Model model =
        train(MemorySource{rows}, options, {.execution = {.threads = 1}, .seed = 2, .start = &start}).model;
    EXPECT_NO_THROW(check_model(model, "the model"));
    for (std::size_t n = 0; n < model.atom_count(); ++n) {
        double norm_sq = 0.0;
        for (const double value : model.dictionary.row(n)) norm_sq += value * value;
        EXPECT_TRUE(std::abs(norm_sq - 1.0) < 1e-12 || (norm_sq == 0.0 && model.method == "vb")) << model.method;
    }
}

// VB finds nothing in signals of zeros and switches its atoms off, one or all; any learner can continue from there.
TEST(EdgeCase, AModelWithAtomsThatAreSwitchedOffIsAStart) {
    for (const int atoms : {1, 3}) {
        VbOptions vb = VbOptions::preset(Preset::standard, atoms);
        vb.start_sweeps = 5;
        vb.sweeps = 5;
        const Matrix zeros(20, dim);
        Model start = train(MemorySource{zeros}, vb, {.execution = {.threads = 1}, .seed = 2}).model;
        if (atoms == 1) {
            EXPECT_EQ(start.dictionary(0, 0), 0.0) << "otherwise this test asks nothing";
            EXPECT_EQ(start.atom_usage[0], 0.0);
        }
        for (double& entry : start.dictionary.row(0)) entry = 0.0;  // one of several
        start.atom_norm[0] = 0.0;
        expect_goes_on(vb, start);
        GibbsOptions gibbs = GibbsOptions::preset(Preset::standard, atoms);
        gibbs.burn_in = gibbs.draws = 5;
        expect_goes_on(gibbs, start);
        BpfaOptions bpfa = BpfaOptions::preset(Preset::standard, atoms);
        bpfa.burn_in = bpfa.draws = 5;
        expect_goes_on(bpfa, start);
        KsvdOptions ksvd = KsvdOptions::preset(Preset::standard, atoms);
        ksvd.sparsity = 1;
        ksvd.sweeps = 3;
        expect_goes_on(ksvd, start);
        OnlineOptions online = OnlineOptions::preset(Preset::standard, atoms);
        online.lambda = 0.5;
        online.sweeps = 3;
        expect_goes_on(online, start);
    }
}

}  // namespace
}  // namespace sbdl::test
