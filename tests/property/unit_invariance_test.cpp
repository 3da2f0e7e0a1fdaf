// A user's units must not matter: learning c Y is the same as learning Y, with codes and noise multiplied by c. Powers
// of two commute with every rounding, so for them the whole run is the same to the last bit; for other factors it is a
// different chain, which must find as many atoms and the same noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbdl/score.hpp"
#include "support/easy_set.hpp"

namespace sbdl::test {
namespace {

Matrix times(const Matrix& rows, double factor) {
    Matrix result = rows;
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] *= factor;
    return result;
}

bool same(const Matrix& a, const Matrix& b) {
    return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

template <class Options>
void expect_powers_of_two_scale_exactly(Options options) {
    options.keep_codes = true;
    const SynthSet set = easy_set(200);
    const Context context{.execution = {.threads = 1}, .seed = 21};
    const Model want = train(MemorySource{set.signals}, options, context).model;
    for (const int power : {-60, -1, 7, 80}) {
        SCOPED_TRACE(power);
        const double c = std::ldexp(1.0, power);
        const Matrix rows = times(set.signals, c);
        const Model got = train(MemorySource{rows}, options, context).model;
        EXPECT_TRUE(same(got.dictionary, want.dictionary));
        EXPECT_TRUE(same(got.dictionary_std, want.dictionary_std));
        EXPECT_TRUE(same(got.codes, times(want.codes, c)));
        EXPECT_TRUE(same(got.codes_std, times(want.codes_std, c)));
        EXPECT_EQ(got.unit, c * want.unit);
        EXPECT_EQ(got.noise_sd, c * want.noise_sd);
        EXPECT_EQ(got.noise_sd_std, c * want.noise_sd_std);
        EXPECT_EQ(got.atom_norm, want.atom_norm);
        for (std::size_t i = 0; i < want.trace.noise_sd.size(); ++i) {
            ASSERT_EQ(got.trace.noise_sd[i], c * want.trace.noise_sd[i]);
            if (std::isnan(want.trace.objective[i])) continue;  // VB's sampled start has none
            ASSERT_EQ(got.trace.objective[i], want.trace.objective[i]);
        }
        for (std::size_t n = 0; n < want.atom_usage.size(); ++n) EXPECT_EQ(got.atom_usage[n], c * want.atom_usage[n]);
    }
}

TEST(UnitInvariance, GibbsIsExactForPowersOfTwo) {
    expect_powers_of_two_scale_exactly(short_gibbs(12));
}

TEST(UnitInvariance, VbIsExactForPowersOfTwo) {
    expect_powers_of_two_scale_exactly(short_vb(12));
}

template <class Options>
void expect_units_do_not_matter(const Options& options) {
    const SynthSet set = easy_set(300);
    for (const double c : {1e-6, 1.0, 1e6}) {
        SCOPED_TRACE(c);
        const Matrix rows = times(set.signals, c);
        const Model model = train(MemorySource{rows}, options, {.execution = {.threads = 1}, .seed = 22}).model;
        EXPECT_EQ(score_dictionary(set.dictionary, model.dictionary).assigned_recovered, 12u);
        EXPECT_NEAR(model.noise_sd / (c * set.noise_sd), 1.0, 0.05);
    }
}

TEST(UnitInvariance, GibbsFindsTheSameInAnyUnits) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.burn_in = 400;
    options.draws = 100;
    expect_units_do_not_matter(options);
}

TEST(UnitInvariance, VbFindsTheSameInAnyUnits) {
    expect_units_do_not_matter(VbOptions::preset(Preset::standard, 12));
}

}  // namespace
}  // namespace sbdl::test
