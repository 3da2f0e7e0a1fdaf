// The noise that a model reports after re-estimation, and its standard deviation (docs/math.md, N1).
#include "learners/model_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/compute_scope.hpp"
#include "pass/noise_reestimation.hpp"
#include "support/easy_set.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class ReestimatedNoise : public testing::Test {
protected:
    ReestimatedNoise() {
        model_.dictionary = set_.dictionary;
        model_.dictionary_std = Matrix(12, 10);
        model_.atom_usage.resize(12);
        Numbers numbers(31);
        for (double& usage : model_.atom_usage) usage = 0.2 + numbers.uniform();
        for (std::size_t i = 0; i < model_.dictionary_std.size(); ++i)
            model_.dictionary_std.data()[i] = 0.005 * numbers.uniform();
    }

    /// The model's noise with the standard deviations of its atoms multiplied by `factor`.
    double noise_std(double factor) {
        const ComputeScope scope;
        const MemorySource source{set_.signals};
        const ThreadPass pass = pass_over(source, unit, 12, 1);
        const Mat D = as_columns(set_.dictionary);
        Model model = model_;
        for (std::size_t i = 0; i < 120; ++i) model.dictionary_std.data()[i] *= factor;
        set_reestimated_noise(pass, D, 7, 0, model);
        const NoiseEstimate estimate = reestimate_noise(pass, D, 7, 0);
        EXPECT_EQ(model.noise_sd, unit * estimate.noise_sd);
        sigma_ = model.noise_sd;
        from_codes_ = sigma_ / std::sqrt(2.0 * 300.0 * (10.0 - 12.0 * estimate.share_on));
        return model.noise_sd_std;
    }

    /// Mean square of an entry of E x for errors E of the atoms and codes x with the model's standard deviations.
    [[nodiscard]] double added_by_atoms() const {
        double sum = 0.0;
        for (std::size_t n = 0; n < 12; ++n)
            for (std::size_t m = 0; m < 10; ++m) sum += std::pow(model_.atom_usage[n] * model_.dictionary_std(n, m), 2);
        return sum / 10.0;
    }

    static constexpr double unit = 3.0;
    const SynthSet set_ = easy_set();
    Model model_;
    double sigma_ = 0.0, from_codes_ = 0.0;
};

TEST_F(ReestimatedNoise, OfAKnownDictionaryIsAsSureAsItsDegreesOfFreedom) {
    const double std = noise_std(0.0);
    EXPECT_NEAR(std / from_codes_, 1.0, 1e-10);
}

TEST_F(ReestimatedNoise, IsLessSureByWhatTheAtomsCouldHaveAdded) {
    const double std = noise_std(1.0);
    const double from_atoms = sigma_ - std::sqrt(sigma_ * sigma_ - added_by_atoms());
    EXPECT_GT(from_atoms, from_codes_) << "both terms show";
    EXPECT_LT(from_atoms, 10.0 * from_codes_);
    EXPECT_NEAR(std / std::sqrt(from_codes_ * from_codes_ + from_atoms * from_atoms), 1.0, 1e-10);
}

TEST_F(ReestimatedNoise, CannotBeLowerThanNone) {
    const double std = noise_std(1e3);  // the atoms could have added more than all of it
    EXPECT_NEAR(std / std::sqrt(from_codes_ * from_codes_ + sigma_ * sigma_), 1.0, 1e-10);
}

}  // namespace
}  // namespace sbdl::test
