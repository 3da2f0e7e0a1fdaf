// What is counted, and that a posterior that is right covers as it should.
#include <cmath>
#include <random>

#include "unit/experiments/calibration/case.hpp"

namespace sbdl::test {
namespace {

constexpr std::array<double, 4> everywhere{100, 100, 100, 100}, nowhere{0, 0, 0, 0};

// Two atoms in the plane, which the model has in the other order, and one of them with the other sign.
class CalibrationCoverage : public testing::Test {
protected:
    void SetUp() override {
        truth_.dictionary = Matrix(2, 2);
        truth_.dictionary(0, 0) = truth_.dictionary(1, 1) = 1.0;
        truth_.codes = Matrix(3, 2);
        truth_.codes(0, 0) = 2.0;
        truth_.codes(1, 1) = -3.0;
        truth_.noise_sd = 0.1;

        model_.method = "vb";
        model_.stop_reason = "converged";
        model_.dictionary = Matrix(2, 2);
        model_.dictionary(0, 1) = 1.0;
        model_.dictionary(1, 0) = -1.0;
        model_.dictionary_std = Matrix(2, 2, 0.01);
        model_.codes = model_.codes_probability = Matrix(3, 2);
        model_.codes_std = Matrix(3, 2, 0.1);
        model_.codes(0, 1) = -2.0;
        model_.codes(1, 0) = -3.0;
        model_.codes_probability(0, 1) = model_.codes_probability(1, 0) = 1.0;
        model_.noise_sd = 0.1;
        model_.noise_sd_std = 0.001;
    }

    SynthSet truth_;
    Model model_;
};

TEST_F(CalibrationCoverage, AtomsAndCodesAreMatchedAndTheirSignsAligned) {
    const CalibrationScore score = calibration::measure(truth_, model_);
    EXPECT_EQ(score.nearest_percent, 100.0);
    EXPECT_EQ(score.noise_ratio, 1.0);
    EXPECT_TRUE(score.settled);
    EXPECT_TRUE(std::isnan(score.rhat) && std::isnan(score.ess));
    EXPECT_EQ(score.noise.values, 1);
    EXPECT_EQ(score.noise.percent, everywhere);
    EXPECT_EQ(score.atoms.values, 4);
    EXPECT_EQ(score.atoms.percent, everywhere);
    EXPECT_EQ(score.codes.values, 2) << "entries that are probably zero are left out";
    EXPECT_EQ(score.codes.percent, everywhere);
    EXPECT_EQ(score.reconstruction.values, 6) << "signs and order do not matter";
    EXPECT_EQ(score.reconstruction.percent, everywhere);
}

TEST_F(CalibrationCoverage, AnErrorOfOneAndAHalfStandardDeviationsIsOutsideTheNarrowIntervals) {
    model_.noise_sd = 0.1015;
    model_.dictionary(1, 1) += 0.015;
    model_.codes(0, 1) += 0.15;
    const CalibrationScore score = calibration::measure(truth_, model_);
    EXPECT_EQ(score.noise.percent, (std::array<double, 4>{0, 0, 100, 100}));
    EXPECT_EQ(score.atoms.percent, (std::array<double, 4>{75, 75, 100, 100}));
    EXPECT_EQ(score.codes.percent, (std::array<double, 4>{50, 50, 100, 100}));
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(score.codes_expected.percent[i], Coverage::levels[i], 1e-9) << "no spike, no excess";
}

TEST_F(CalibrationCoverage, AtomsThatWereNotFoundCountNothing) {
    model_.dictionary(0, 0) = model_.dictionary(0, 1) = std::sqrt(0.5);
    const CalibrationScore score = calibration::measure(truth_, model_);
    EXPECT_EQ(score.nearest_percent, 50.0);
    EXPECT_EQ(score.atoms.values, 2);
    EXPECT_EQ(score.codes.values, 1);
    model_.dictionary(1, 0) = model_.dictionary(1, 1) = std::sqrt(0.5);
    EXPECT_EQ(calibration::measure(truth_, model_).atoms.values, 0);
    EXPECT_EQ(calibration::measure(truth_, model_).atoms.percent, nowhere);
}

TEST_F(CalibrationCoverage, CodesAreChosenByThePosteriorNotByTheTruth) {
    model_.codes_probability(0, 1) = 0.49;  // non-zero in truth, and left out
    model_.codes_probability(2, 1) = 1.0;   // zero in truth, and counted: the model is sure of -1
    model_.codes(2, 1) = -1.0;
    const CalibrationScore score = calibration::measure(truth_, model_);
    EXPECT_EQ(score.codes.values, 2);
    EXPECT_EQ(score.codes.percent, (std::array<double, 4>{50, 50, 50, 50}));
}

TEST_F(CalibrationCoverage, TheWorstDiagnosticsOfAChainAreReported) {
    model_.method = "gibbs";
    model_.trace.kept = {0, 1, 1, 1, 1};
    model_.diagnostics.noise_rhat = 1.01;
    model_.diagnostics.atoms_rhat = 1.2;
    model_.diagnostics.noise_ess = 300.0;
    model_.diagnostics.codes_ess = 40.0;
    const CalibrationScore score = calibration::measure(truth_, model_);
    EXPECT_FALSE(score.settled);
    EXPECT_EQ(score.rhat, 1.2);
    EXPECT_EQ(score.ess, 40.0);
    EXPECT_EQ(score.reconstruction.values, 0) << "a chain without its draws";
}

TEST_F(CalibrationCoverage, AModelWithoutItsPosteriorIsRejected) {
    model_.codes_probability = Matrix();
    EXPECT_NE(input_error([&] { calibration::measure(truth_, model_); }).find("vb"), std::string::npos);
}

// Truths drawn from the posterior itself. Each of the 8 comparisons allows 4.5 standard errors: false alarms in less
// than 1 of 10000 seeds, if the numbers were not fixed by one.
TEST_F(CalibrationCoverage, ARightPosteriorCoversAsExpected) {
    constexpr std::size_t signals = 8000;
    std::mt19937_64 random(17);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    truth_.codes = model_.codes = model_.codes_std = model_.codes_probability = Matrix(signals, 2);
    for (std::size_t l = 0; l < signals; ++l)
        for (std::size_t n = 0; n < 2; ++n) {
            // Atom 0 of the model: no spikes. Atom 1: probabilities from 0.5 to 1, slabs near the spike and far away.
            const double p = n == 0 ? 1.0 : 0.5 + 0.5 * uniform(random);
            const double m = 2.0 * normal(random), sd = 0.5 + uniform(random);
            model_.codes_probability(l, n) = p;
            model_.codes(l, n) = p * m;
            model_.codes_std(l, n) = std::sqrt(p * (m * m + sd * sd) - p * p * m * m);
            const double code = uniform(random) < p ? m + sd * normal(random) : 0.0;
            truth_.codes(l, 1 - n) = n == 1 ? -code : code;
        }
    const auto expect_covers = [](const CalibrationScore& score) {
        for (std::size_t i = 0; i < 4; ++i) {
            const double expected = score.codes_expected.percent[i] / 100.0;
            const double error = std::sqrt(expected * (1.0 - expected) / score.codes.values);
            EXPECT_NEAR(score.codes.percent[i] / 100.0, expected, 4.5 * error) << Coverage::levels[i];
        }
    };
    const CalibrationScore both = calibration::measure(truth_, model_);
    EXPECT_EQ(both.codes.values, static_cast<int>(2 * signals));
    EXPECT_GT(both.codes_expected.percent[0], 53.0) << "intervals that end at a spike hold more";
    expect_covers(both);

    for (std::size_t l = 0; l < signals; ++l) model_.codes_probability(l, 1) = 0.0;
    const CalibrationScore gaussian = calibration::measure(truth_, model_);
    EXPECT_NEAR(gaussian.codes_expected.percent[3], 95.0, 1e-9);
    expect_covers(gaussian);
}

}  // namespace
}  // namespace sbdl::test
