// How the burn-in of `encode` lowers the noise: the same sweeps, made here by hand, give the same codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/compute_scope.hpp"
#include "pass/support_chain.hpp"
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
    Matrix made_by_hand(int sweeps, const Make& make) {
        const MemorySource source{set_.signals};
        ThreadPass pass({source, model_.unit, 0}, model_.unit, model_.atom_count(), kernel_set("cpu"), 1);
        pass.begin_record(false);
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
    expect_encoded(4, made_by_hand(5, [&](ThreadPass& pass, int sweep, const Vec* scale) {
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

// Five searches of two sweeps and three sweeps that settle; the noise starts from that of the signals.
TEST_F(EncodeBurnIn, SearchesFiveTimesForOnOffCodes) {
    const double probability = 0.2, code_precision = 1.7;
    model_.on_off = OnOffPrior{.code_precision = code_precision,
                               .atom_probability = std::vector<double>(set_.dictionary.rows(), probability)};
    const OnOffState state{.D = D_,
                           .probability = Vec::Constant(D_.cols(), probability),
                           .code_precision = code_precision,
                           .noise_precision = gamma_};
    const double variance =
        probability * D_.squaredNorm() / (code_precision * static_cast<double>(D_.rows())) + 1.0 / gamma_;
    const PaddedGram gram(D_);
    const Vec known = Vec::Zero(D_.cols());
    const ComputeScope scope;
    SupportChain chain(SupportCoding{.state = &state,
                                     .atom_var = &known,
                                     .signal_var = variance,
                                     .gram = &gram,
                                     .schedule = {.searches = 5, .search_sweeps = 2, .settle_sweeps = 3, .draws = 1}});
    Matrix expected(set_.signals.rows(), model_.atom_count());
    for (std::size_t l = 0; l < expected.rows(); ++l) {
        DrawStream draws(7, {.purpose = Purpose::code_support, .signal = l});
        const Vec mean = chain.code(as_columns(set_.signals).col(static_cast<Eigen::Index>(l)) / 2.0, draws).mean;
        for (std::size_t n = 0; n < expected.cols(); ++n)
            expected(l, n) = 1.5 * model_.unit * mean[static_cast<Eigen::Index>(n)];
    }
    expect_encoded(13, expected);
}

}  // namespace
}  // namespace sbdl::test
