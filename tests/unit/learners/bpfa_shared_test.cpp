// What all signals share in BPFA: after a sweep, probabilities and precisions are draws from the Beta and Gamma
// distributions that follow from the sweep's codes, whatever these are.
//
// Rate of false alarms for untried seeds (the seed is fixed): each draw is standardised by the mean and the standard
// deviation of its own distribution, so that the sums of thousands of them, and of their squares, are normal with known
// variances. Six comparisons at 5.5 standard deviations: below 1e-6.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learners/bpfa/bpfa_chain.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

/// Sums over standardised draws: z has mean 0, z^2 has mean 1 and the variance 2 + excess kurtosis.
class StandardDraws {
public:
    void add_beta(double draw, double a, double b) {
        const double s = a + b, variance = a * b / (s * s * (s + 1.0));
        add((draw - a / s) / std::sqrt(variance),
            6.0 * ((a - b) * (a - b) * (s + 1.0) - a * b * (s + 2.0)) / (a * b * (s + 2.0) * (s + 3.0)));
    }
    void add_gamma(double draw, double shape, double rate) {
        add((draw * rate - shape) / std::sqrt(shape), 6.0 / shape);
    }
    [[nodiscard]] double mean_error() const { return sum_ / std::sqrt(count_); }
    [[nodiscard]] double variance_error() const { return square_error_ / std::sqrt(square_variance_); }

private:
    void add(double z, double excess_kurtosis) {
        count_ += 1.0;
        sum_ += z;
        square_error_ += z * z - 1.0;
        square_variance_ += 2.0 + excess_kurtosis;
    }
    double count_ = 0.0, sum_ = 0.0, square_error_ = 0.0, square_variance_ = 0.0;
};

// Few signals, so that the priors matter; one of them is never observed and must not count, nor may a missing entry.
TEST(BpfaShared, IsDrawnFromItsConditionalsGivenTheCodes) {
    constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();
    const Shape shape{3, 4, 9};
    constexpr double observed_signals = 8.0, observed_values = 3.0 * 8.0 - 1.0;
    Mat Y = Numbers(21).normals(shape.M, shape.L);
    Y.col(5).setConstant(missing_value);
    Y(1, 2) = missing_value;
    const Matrix rows = to_rows(Y);
    const MemorySource source(rows);
    BpfaOptions options = BpfaOptions::preset(Preset::paper, static_cast<int>(shape.N));
    options.burn_in = 0;
    options.usage_on = 1.5;
    options.usage_off = 4.0;
    options.code_shape = 2.0;
    options.code_rate = 1.0;
    options.noise_shape = 3.0;
    options.noise_rate = 0.5;
    BpfaChain chain({source, 1.0}, scan_signals(source, MissingValues::allowed), options,
                    {.execution = {.threads = 1}, .seed = 5}, 0);

    StandardDraws probabilities, code_precisions, noise_precisions;
    Vec least = Vec::Constant(shape.N, observed_signals), most = Vec::Zero(shape.N);
    for (int sweep = 0; sweep < 3000; ++sweep) {
        chain.sweep(sweep);
        Mat X = Mat::Zero(shape.N, shape.L);
        const SparseCodes& codes = chain.codes();
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                X(codes.atom[k], static_cast<Eigen::Index>(l)) = codes.value[k];
        const OnOffState& state = chain.state();
        const Vec users = (X.array() != 0.0).cast<double>().rowwise().sum();
        least = least.cwiseMin(users);
        most = most.cwiseMax(users);
        for (Eigen::Index n = 0; n < shape.N; ++n)
            probabilities.add_beta(state.probability[n], 1.5 + users[n], 4.0 + observed_signals - users[n]);
        code_precisions.add_gamma(state.code_precision, 2.0 + 0.5 * users.sum(), 1.0 + 0.5 * X.squaredNorm());
        const Mat residual = Y.array().isNaN().select(0.0, (Y - state.D * X).array());
        noise_precisions.add_gamma(state.noise_precision, 3.0 + 0.5 * observed_values,
                                   0.5 + 0.5 * residual.squaredNorm());
    }
    EXPECT_LE(least.maxCoeff(), 1.0) << "counts from few";
    EXPECT_GE(most.minCoeff(), observed_signals - 1.0) << "to nearly all";
    EXPECT_LT(std::abs(probabilities.mean_error()), 5.5);
    EXPECT_LT(std::abs(probabilities.variance_error()), 5.5);
    EXPECT_LT(std::abs(code_precisions.mean_error()), 5.5);
    EXPECT_LT(std::abs(code_precisions.variance_error()), 5.5);
    EXPECT_LT(std::abs(noise_precisions.mean_error()), 5.5);
    EXPECT_LT(std::abs(noise_precisions.variance_error()), 5.5);
}

}  // namespace
}  // namespace sbdl::test
