// Whether the kept sweep of gibbs samples the posterior that docs/math.md (O) states, by the two tests of
// geweke_test.cpp and calibration_test.cpp: the real GibbsChain with on/off codes and atoms of unit norm, without
// burn-in.
//
// Rates of false alarms. Geweke: z is Student with about 100 degrees of freedom, and |z| > 5.5 has probability 3e-7;
// four models with 15 functions each, below 2e-5. Calibration: the chi-squared statistic of 8 bins exceeds 36 with
// probability 7e-6; twice 5 functions, below 8e-5. The seeds are fixed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "learners/gibbs/gibbs_chain.hpp"
#include "statistical/on_off_joint.hpp"
#include "support/gaps.hpp"
#include "support/pass_over.hpp"

namespace sbdl::test {
namespace {

GibbsOptions kept_sweeps(Eigen::Index atoms) {
    GibbsOptions options = with_sampleable_priors(GibbsOptions::preset(Preset::standard, static_cast<int>(atoms)),
                                                  &GibbsOptions::slab_shape, &GibbsOptions::slab_rate);
    options.own_units = false;
    return options;
}

/// gaps: NaN where an entry is never observed, 0 elsewhere.
OnOffDraw draw_on_sphere(const Shape& shape, const Mat& gaps, Numbers& numbers) {
    const Mat D = numbers.normals(shape.M, shape.N).colwise().normalized();
    return draw_given_atoms(D, sampleable_hyper(), gaps, numbers);
}

/// A GibbsChain on one block that exposes everything it has drawn, and whose signals can be replaced.
class OpenOnOffChain {
public:
    OpenOnOffChain(const OnOffDraw& start, const Mat& gaps, std::uint64_t seed)
        : gaps_(gaps),
          options_(kept_sweeps(start.X.rows())),
          rows_(to_rows(start.Y)),
          source_(rows_),
          pass_(pass_over(source_, 1.0, static_cast<std::size_t>(options_.atoms), 1)),
          chain_(pass_, options_, seed, 0),
          state_(start) {}

    const OnOffDraw& sweep() {
        chain_.sweep(next_sweep_++);
        state_.state = *chain_.on_off_state();
        state_.X.setZero();
        copy_codes(pass_.on_off_codes(0), 0, state_.X);
        return state_;
    }

    /// Signals given everything else; the next sweep sees them.
    const OnOffDraw& replace_signals(Numbers& numbers) {
        draw_on_off_signals(gaps_, numbers, state_);
        Eigen::Map<Mat>(rows_.data(), state_.Y.rows(), state_.Y.cols()) = state_.Y;
        return state_;
    }

private:
    Mat gaps_;
    GibbsOptions options_;
    Matrix rows_;
    MemorySource source_;
    ThreadPass pass_;
    GibbsChain chain_;
    OnOffDraw state_;
    int next_sweep_ = 0;
};

// Atoms on the sphere agree with the signals in one more way: the direction that their codes explain. Their own
// directions are uniform, which gaps would disturb if entries of atoms that are seldom observed moved too little or too
// much.
std::vector<OnOffFunction> functions_on_sphere() {
    std::vector<OnOffFunction> functions = on_off_functions;
    functions.push_back(
        {"(first entry of first atom)^4", [](const OnOffDraw& s) { return std::pow(s.state.D(0, 0), 4); }});
    functions.push_back({"4th powers of the second entries",
                         [](const OnOffDraw& s) { return s.state.D.row(1).array().pow(4).mean(); }});
    functions.push_back({"ln(1 + |y . Dx|) where it is positive", [](const OnOffDraw& s) {
                             return std::log1p(std::max(0.0, observed(s.Y).cwiseProduct(s.state.D * s.X).sum()));
                         }});
    return functions;
}

void expect_kept_sweep_samples_the_model(const Shape& shape, const Mat& gaps, int batch_length) {
    constexpr int batches = 100;
    const std::vector<OnOffFunction> functions = functions_on_sphere();
    Numbers numbers(78);
    OnOffDraw draw;
    const auto independent = averages(
        functions, batches, 1000, [&]() -> const OnOffDraw& { return draw = draw_on_sphere(shape, gaps, numbers); });
    OpenOnOffChain chain(draw, gaps, 5);
    const auto next = [&]() -> const OnOffDraw& {
        chain.sweep();
        return chain.replace_signals(numbers);
    };
    for (int i = 0; i < 2000; ++i) next();  // forget the start, whose codes are all off
    expect_equal_means(functions, averages(functions, batches, batch_length, next), independent, 5.5);
}

TEST(GibbsOnOffGeweke, MoreAtomsThanEntries) {
    expect_kept_sweep_samples_the_model({2, 3, 4}, Mat::Zero(2, 4), 1500);
}

TEST(GibbsOnOffGeweke, FewerAtomsThanEntries) {
    expect_kept_sweep_samples_the_model({3, 2, 4}, Mat::Zero(3, 4), 1500);
}

// K1 to K4. Entries are missing at random, a third and more than half of them; atoms have entries that are observed
// more often than others.
TEST(GibbsOnOffGeweke, MissingEntries) {
    Numbers numbers(31);
    const Mat third = random_gaps(3, 4, 0.4, numbers), half = random_gaps(2, 5, 0.8, numbers);
    ASSERT_TRUE(third.hasNaN() && half.hasNaN());
    expect_kept_sweep_samples_the_model({3, 2, 4}, third, 1500);
    expect_kept_sweep_samples_the_model({2, 3, 5}, half, 1500);
}

/// A share of the entries, at random, is missing.
void expect_uniform_ranks(double missing) {
    constexpr int replications = 800, draws = 31, burn_in = 200, thin = 25, bins = 8;
    static_assert((draws + 1) % bins == 0);
    const Shape shape{3, 3, 6};
    // Functions of the product D X, because neither the order nor the signs of the atoms are determined.
    const std::vector<OnOffFunction> ranked = {
        {"noise precision", [](const OnOffDraw& s) { return s.state.noise_precision; }},
        {"code precision", [](const OnOffDraw& s) { return s.state.code_precision; }},
        {"sum of probabilities", [](const OnOffDraw& s) { return s.state.probability.sum(); }},
        {"first entry of DX", [](const OnOffDraw& s) { return s.state.D.row(0).dot(s.X.col(0)); }},
        {"|DX|^2", [](const OnOffDraw& s) { return (s.state.D * s.X).squaredNorm(); }},
    };
    std::vector<std::array<int, bins>> counts(ranked.size(), std::array<int, bins>{});
    Numbers numbers(4049);
    for (int i = 0; i < replications; ++i) {
        const Mat gaps = random_gaps(shape.M, shape.L, missing, numbers);
        const OnOffDraw truth = draw_on_sphere(shape, gaps, numbers);
        OpenOnOffChain chain(truth, gaps, static_cast<std::uint64_t>(1000 + i));
        for (int sweep = 0; sweep < burn_in; ++sweep) chain.sweep();
        std::vector<int> below(ranked.size(), 0), equal(ranked.size(), 0);  // equal: both codes are off
        for (int draw = 0; draw < draws; ++draw) {
            for (int sweep = 1; sweep < thin; ++sweep) chain.sweep();
            const OnOffDraw& drawn = chain.sweep();
            for (std::size_t k = 0; k < ranked.size(); ++k) {
                const double a = ranked[k].value(drawn), b = ranked[k].value(truth);
                below[k] += a < b ? 1 : 0;
                equal[k] += a == b ? 1 : 0;
            }
        }
        for (std::size_t k = 0; k < ranked.size(); ++k) {
            const int rank = below[k] + static_cast<int>(numbers.uniform() * (equal[k] + 1));
            ++counts[k][static_cast<std::size_t>(rank * bins / (draws + 1))];
        }
    }
    for (std::size_t k = 0; k < ranked.size(); ++k) {
        constexpr double expected = static_cast<double>(replications) / bins;
        double chi_squared = 0.0;
        for (const int count : counts[k]) chi_squared += std::pow(count - expected, 2) / expected;
        EXPECT_LT(chi_squared, 36.0) << ranked[k].name << ": ranks " << fmt::format("{}", fmt::join(counts[k], " "));
    }
}

TEST(GibbsOnOffCalibration, RanksAreUniform) {
    expect_uniform_ranks(0.0);
}

TEST(GibbsOnOffCalibration, RanksAreUniformWithMissingEntries) {
    expect_uniform_ranks(0.4);
}

}  // namespace
}  // namespace sbdl::test
