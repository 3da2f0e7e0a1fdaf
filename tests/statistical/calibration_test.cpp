// Simulation-based calibration (Talts and others, 2018): parameters drawn from the priors, signals from them, posterior
// draws from the chain given the signals. Among the posterior draws, the true value of any function has a uniform rank.
//
// Rate of false alarms: ranks fall in 8 equal bins, and the chi-squared statistic (7 degrees of freedom) exceeds 36
// with probability 7e-6. Two models with 5 functions each: below 1e-4 for an untried seed, and the seeds are fixed.
// Draws are thinned until they are nearly independent, because with correlated draws the ranks pile up at both ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "statistical/joint_model.hpp"

namespace sbdl::test {
namespace {

constexpr int bins = 8;
constexpr double most_chi_squared = 36.0;

const std::vector<JointFunction> ranked = {
    {"gamma", [](const JointDraw& s) { return s.gamma; }},
    {"|D|^2", [](const JointDraw& s) { return s.D.squaredNorm(); }},
    {"|X|^2", [](const JointDraw& s) { return s.X.squaredNorm(); }},
    {"first entry of DX", [](const JointDraw& s) { return s.D.row(0).dot(s.X.col(0)); }},
    {"sum of ln alpha", [](const JointDraw& s) { return s.alpha.array().log().sum(); }},
};

void expect_uniform_ranks(const Shape& shape, const GibbsOptions& options) {
    constexpr int replications = 800, draws = 31, burn_in = 200, thin = 25;
    static_assert((draws + 1) % bins == 0);
    std::vector<std::array<int, bins>> counts(ranked.size(), std::array<int, bins>{});
    Numbers numbers(4048);
    for (int i = 0; i < replications; ++i) {
        const JointDraw truth = draw_from_priors(shape, options, numbers);
        OpenChain chain(truth.Y, Mat::Zero(truth.Y.rows(), truth.Y.cols()), options,
                        static_cast<std::uint64_t>(1000 + i));
        for (int sweep = 0; sweep < burn_in; ++sweep) chain.sweep();
        std::vector<int> rank(ranked.size(), 0);
        for (int draw = 0; draw < draws; ++draw) {
            for (int sweep = 0; sweep < thin; ++sweep) chain.sweep();
            for (std::size_t k = 0; k < ranked.size(); ++k)
                if (ranked[k].value(chain.state()) < ranked[k].value(truth)) ++rank[k];
        }
        for (std::size_t k = 0; k < ranked.size(); ++k)
            ++counts[k][static_cast<std::size_t>(rank[k] * bins / (draws + 1))];
    }
    for (std::size_t k = 0; k < ranked.size(); ++k) {
        constexpr double expected = static_cast<double>(replications) / bins;
        double chi_squared = 0.0;
        for (const int count : counts[k]) chi_squared += std::pow(count - expected, 2) / expected;
        EXPECT_LT(chi_squared, most_chi_squared)
            << ranked[k].name << ": ranks " << fmt::format("{}", fmt::join(counts[k], " "));
    }
}

TEST(Calibration, AtomsInTurn) {
    const Shape shape{2, 3, 4};
    expect_uniform_ranks(shape, exact_sampler(shape, DictionaryUpdate::sequential, 4.0, 3.0));
}

TEST(Calibration, DictionaryWhole) {
    const Shape shape{2, 2, 5};
    expect_uniform_ranks(shape, exact_sampler(shape, DictionaryUpdate::joint, 4.0, 3.0));
}

}  // namespace
}  // namespace sbdl::test
