// How the burn-in of `encode` lowers the noise: the same sweeps, made here one by one, give the same codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pass/thread_pass.hpp"
#include "sbdl/encode.hpp"
#include "support/easy_set.hpp"

namespace sbdl::test {
namespace {

class EncodeBurnIn : public testing::Test {
protected:
    EncodeBurnIn() {
        model_.method = "gibbs";
        model_.dictionary = set_.dictionary;
        model_.noise_sd = set_.noise_sd;
        model_.unit = 2.0;
        model_.atom_norm.assign(set_.dictionary.rows(), 1.5);
    }

    /// The code after these sweeps, of which the last one is kept. make(sweep, scale) makes one.
    template <class Make>
    Matrix made_by_hand(int sweeps, bool on_off, const Make& make) {
        const MemorySource source{set_.signals};
        ThreadPass pass({source, model_.unit, 0}, model_.unit, model_.atom_count(), kernel_set("cpu"), 1);
        pass.begin_record(on_off);
        const Vec scale = Vec::Constant(D_.cols(), 1.5 * model_.unit);
        for (int sweep = 0; sweep < sweeps; ++sweep) make(pass, sweep, sweep + 1 == sweeps ? &scale : nullptr);
        return pass.take_record().mean();
    }

    void expect_encoded(int burn_in, const Matrix& expected) const {
        const Codes codes = encode(model_, set_.signals, PosteriorCoderOptions{.burn_in = burn_in, .draws = 1},
                                   {.execution = {.threads = 1}, .seed = 7});
        ASSERT_EQ(codes.dense.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)  // precisions may differ by rounding
            EXPECT_NEAR(codes.dense.data()[i], expected.data()[i], 1e-9) << i;
    }

    const SynthSet set_ = easy_set(40, 20.0, 3);
    Model model_;
    const Mat D_ = 1.5 * as_columns(set_.dictionary);
    const double gamma_ = std::pow(set_.noise_sd / 2.0, -2.0);
};

TEST_F(EncodeBurnIn, RaisesThePrecisionBy30DbOverItsFirstHalf) {
    model_.sbdl = SbdlPrior{.code_shape = 0.5, .code_rate = 1e-4};
    expect_encoded(4, made_by_hand(5, false, [&](ThreadPass& pass, int sweep, const Vec* scale) {
                       pass.sweep(GibbsSweep{.dictionary = &D_,
                                             .noise_precision = sweep == 0 ? gamma_ * std::pow(1e-3, 0.5) : gamma_,
                                             .code_prior = {0.5, 1e-4},
                                             .seed = 7,
                                             .sweep = static_cast<std::uint32_t>(sweep),
                                             .same_dictionary = sweep > 0,
                                             .statistics = false},
                                  scale);
                   }));
}

// Two fifths of five sweeps; with so few there are no second chances.
TEST_F(EncodeBurnIn, LowersTheNoiseOfOnOffCodesFromThatOfTheSignals) {
    const double probability = 0.2, code_precision = 1.7;
    model_.on_off = OnOffPrior{.code_precision = code_precision,
                               .atom_probability = std::vector<double>(set_.dictionary.rows(), probability)};
    const double variance =
        probability * D_.squaredNorm() / (code_precision * static_cast<double>(D_.rows())) + 1.0 / gamma_;
    const double first = std::min(gamma_, 2.0 / variance);
    const std::vector<double> precision{first, first * std::sqrt(gamma_ / first), gamma_, gamma_, gamma_, gamma_};
    PaddedGram gram;
    gram.assign(D_);
    expect_encoded(5, made_by_hand(6, true, [&](ThreadPass& pass, int sweep, const Vec* scale) {
                       const OnOffState state{.D = D_,
                                              .probability = Vec::Constant(D_.cols(), probability),
                                              .code_precision = code_precision,
                                              .noise_precision = precision[static_cast<std::size_t>(sweep)]};
                       pass.sweep(OnOffSweep{.state = &state,
                                             .draw = {.seed = 7,
                                                      .sweep = static_cast<std::uint32_t>(sweep),
                                                      .support = Purpose::on_off_support,
                                                      .value = Purpose::on_off_value,
                                                      .stride = 13},
                                             .gram = &gram,
                                             .statistics = false},
                                  scale);
                   }));
}

}  // namespace
}  // namespace sbdl::test
