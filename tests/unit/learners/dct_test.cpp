// The overcomplete DCT as a method.
#include <gtest/gtest.h>

#include <cmath>

#include "learners/dct/dct_dictionary.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/error.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

double inner(const Matrix& rows, std::size_t i, std::size_t j) {
    double sum = 0.0;
    for (std::size_t m = 0; m < rows.cols(); ++m) sum += rows(i, m) * rows(j, m);
    return sum;
}

TEST(Dct, LineHasCosinesOfUnitNormAndMeanZero) {
    const Matrix line = dct_dictionary(16, 8);
    for (std::size_t k = 0; k < 16; ++k) {
        EXPECT_NEAR(inner(line, k, k), 1.0, 1e-14);
        double sum = 0.0;
        for (const double entry : line.row(k)) sum += entry;
        EXPECT_NEAR(sum, k == 0 ? std::sqrt(8.0) : 0.0, 1e-13);
    }
    // Atom 2 of 4 over 3 entries: cos(0), cos(pi / 2), cos(pi), which already has mean zero.
    const Matrix small = dct_dictionary(4, 3);
    EXPECT_NEAR(small(2, 0), std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(small(2, 1), 0.0, 1e-15);
    EXPECT_NEAR(small(2, 2), -std::sqrt(0.5), 1e-15);
}

TEST(Dct, OfPatchesAreProducts) {
    const Matrix line = dct_dictionary(4, 3), patch = patch_dct_dictionary(16, 3);
    for (std::size_t n = 0; n < 16; ++n)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(patch(n, i * 3 + j), line(n / 4, i) * line(n % 4, j));
    test::expect_error<InputError>([] { patch_dct_dictionary(200, 8); }, {"atoms is 200", "square", "196", "225"});
}

TEST(Dct, SingleEntriesAreNoTrouble) {
    const Matrix line = dct_dictionary(5, 1);
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(std::abs(line(k, 0)), 1.0, 1e-15);
}

TEST(Dct, CodesSignalsAndLearnsNothing) {
    const SynthSet data = test::easy_set(100);
    DctOptions options;
    options.atoms = 15;
    options.sparsity = 10;
    options.keep_codes = true;
    const TrainResult result = train(MemorySource{data.signals}, options, {.execution = {.threads = 1}});
    const Model& model = result.model;
    EXPECT_EQ(model.method, "dct");
    const Matrix made = dct_dictionary(15, 10);
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_NEAR(model.dictionary.data()[i], made.data()[i], 1e-15);
    EXPECT_LT(model.noise_sd, 1e-10) << "ten atoms of ten entries leave nothing";
    EXPECT_EQ(model.codes.rows(), 100u);
    EXPECT_EQ(result.sweeps, 1);
    EXPECT_EQ(model.stream.signals_seen, 0u);
}

TEST(Dct, RejectsWhatCannotBe) {
    const SynthSet data = test::easy_set(20);
    const MemorySource source{data.signals};
    DctOptions options;
    options.atoms = 16;
    test::expect_error<InputError>([&] { train(source, options); }, {"exactly one of sparsity", "max_error"});
    options.sparsity = 2;
    options.patch = 4;
    test::expect_error<InputError>([&] { train(source, options); }, {"10 entries", "4 x 4", "16"});
    options.patch = 0;
    Model model;
    model.dictionary = dct_dictionary(16, 10);
    test::expect_error<InputError>([&] { train(source, options, {.start = &model}); }, {"dct", "learns nothing"});
}

}  // namespace
}  // namespace sbdl
