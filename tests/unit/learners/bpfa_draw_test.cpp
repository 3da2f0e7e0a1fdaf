// The conditionals of BPFA against the same ones computed by enumeration or by one linear system.
//
// Rates of false alarms for untried seeds (the seeds are fixed): counts and means of 40,000 draws are compared at six
// of their standard errors, the errors widened by the autocorrelation that single-entry draws have; below 1e-6 each.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "learners/bpfa/atom_draw.hpp"
#include "pass/on_off_codes.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

OnOffState small_state(Eigen::Index M, Eigen::Index N) {
    test::Numbers numbers(3);
    OnOffState state;
    state.D = numbers.normals(M, N) / std::sqrt(static_cast<double>(M));
    state.probability = Vec::LinSpaced(N, 0.2, 0.6);
    state.code_precision = 0.7;
    state.noise_precision = 2.5;
    return state;
}

/// Probability and mean of x for each of the 2^N supports, up to a common factor, from the marginal of the signal:
/// y | z ~ N(0, D_z D_z^T / g + I / e).
struct SupportPosterior {
    std::vector<double> probability;
    std::vector<Vec> mean;
};

SupportPosterior enumerate_supports(const OnOffState& state, const Mat& D, const Vec& y) {
    SupportPosterior posterior;
    const Eigen::Index N = D.cols();
    double sum = 0.0;
    for (unsigned support = 0; support < (1u << N); ++support) {
        Mat on = D;
        double prior = 1.0;
        for (Eigen::Index n = 0; n < N; ++n) {
            const bool is_on = (support >> n & 1u) != 0;
            prior *= is_on ? state.probability[n] : 1.0 - state.probability[n];
            if (!is_on) on.col(n).setZero();
        }
        const Mat covariance =
            on * on.transpose() / state.code_precision + Mat::Identity(y.size(), y.size()) / state.noise_precision;
        const Vec solved = test::inverse(covariance) * y;
        posterior.probability.push_back(prior * std::exp(-0.5 * y.dot(solved)) /
                                        std::sqrt(test::determinant(covariance)));
        posterior.mean.push_back(on.transpose() * solved / state.code_precision);
        sum += posterior.probability.back();
    }
    for (double& p : posterior.probability) p /= sum;
    return posterior;
}

/// Draws the code of one signal repeatedly and compares supports and values with the enumeration.
void expect_codes_from_posterior(const OnOffState& state, const Vec& signal, const SupportPosterior& want) {
    constexpr int draws = 40'000;
    const Eigen::Index N = state.D.cols();
    std::vector<double> share(want.probability.size(), 0.0);
    Vec mean = Vec::Zero(N), second = Vec::Zero(N);
    SparseCodes codes;
    codes.atoms = static_cast<std::size_t>(N);
    codes.start = {0, 0};
    OnOffSampler::Bench bench;
    for (int i = 0; i < draws; ++i) {
        const OnOffSampler draw(state, {.seed = 9, .sweep = static_cast<std::uint32_t>(i), .chain = 0});
        Mat signals = signal;
        SparseCodes drawn;
        draw.block(0, signals, codes, 0, drawn, bench);
        unsigned support = 0;
        for (std::size_t k = 0; k < drawn.atom.size(); ++k) {
            support |= 1u << drawn.atom[k];
            mean[drawn.atom[k]] += drawn.value[k] / draws;
            second[drawn.atom[k]] += drawn.value[k] * drawn.value[k] / draws;
        }
        share[support] += 1.0 / draws;
        drawn.atoms = codes.atoms;
        codes = drawn;
    }
    constexpr double widened = 4.0;  // of the variance, for the autocorrelation
    Vec want_mean = Vec::Zero(N);
    for (std::size_t s = 0; s < share.size(); ++s) {
        const double p = want.probability[s];
        EXPECT_NEAR(share[s], p, 6.0 * std::sqrt(widened * p * (1.0 - p) / draws) + 1e-4) << "support " << s;
        want_mean += p * want.mean[s];
    }
    for (Eigen::Index n = 0; n < N; ++n)
        EXPECT_NEAR(mean[n], want_mean[n], 6.0 * std::sqrt(widened * second[n] / draws)) << "atom " << n;
}

TEST(BpfaCodes, ComeFromTheirPosterior) {
    const OnOffState state = small_state(4, 3);
    const Vec y{{0.9, -0.4, 1.1, 0.2}};
    expect_codes_from_posterior(state, y, enumerate_supports(state, state.D, y));
}

TEST(BpfaCodes, OfWhatIsObservedComeFromTheirPosterior) {
    const OnOffState state = small_state(4, 3);
    Mat seen_atoms(2, 3);
    seen_atoms << state.D.row(0), state.D.row(2);
    expect_codes_from_posterior(state, Vec{{0.9, missing, 1.1, missing}},
                                enumerate_supports(state, seen_atoms, Vec{{0.9, 1.1}}));
}

TEST(BpfaCodes, LeaveTheResidualAndNothingOfWhatIsMissing) {
    const OnOffState state = small_state(4, 3);
    Mat signals(4, 3);
    signals << 1, missing, missing, 2, 0.5, missing, -1, missing, missing, 0, 3, missing;
    const Mat before = signals;
    SparseCodes old, drawn;
    old.start = {0, 1, 1, 2};
    old.atom = {1, 2};
    old.value = {0.5, 1.0};
    OnOffSampler::Bench bench;
    OnOffSampler(state, {.seed = 1, .sweep = 0, .chain = 0}).block(0, signals, old, 0, drawn, bench);
    ASSERT_EQ(drawn.count(), 3u);
    EXPECT_EQ(drawn.start[2], drawn.start[3]) << "a signal that nobody has seen has no code";
    for (Eigen::Index l = 0; l < 3; ++l) {
        Vec left = before.col(l);
        for (std::size_t k = drawn.start[static_cast<std::size_t>(l)]; k < drawn.start[static_cast<std::size_t>(l) + 1];
             ++k)
            left -= drawn.value[k] * state.D.col(drawn.atom[k]);
        for (Eigen::Index m = 0; m < 4; ++m)
            EXPECT_NEAR(signals(m, l), std::isnan(before(m, l)) ? 0.0 : left[m], 1e-14);
    }
}

/// Codes of 6 signals with 3 atoms, and signals with `M` entries, some of which may be missing.
struct AtomProblem {
    Mat X, Y, observed;
    SparseCodes codes;
};

AtomProblem atom_problem(Eigen::Index M, bool gaps) {
    test::Numbers numbers(8);
    AtomProblem problem;
    problem.X = numbers.normals(3, 6);
    problem.X(0, 1) = problem.X(1, 2) = problem.X(2, 5) = 0.0;
    problem.Y = numbers.normals(M, 6);
    problem.observed = Mat::Ones(M, 6);
    if (gaps) problem.observed(0, 0) = problem.observed(M - 1, 2) = problem.observed(M - 1, 3) = 0.0;
    problem.Y.array() *= problem.observed.array();
    problem.codes.atoms = 3;
    for (Eigen::Index l = 0; l < 6; ++l) {
        for (Eigen::Index n = 0; n < 3; ++n) {
            if (problem.X(n, l) == 0.0) continue;
            problem.codes.atom.push_back(static_cast<std::uint32_t>(n));
            problem.codes.value.push_back(problem.X(n, l));
        }
        problem.codes.start.push_back(problem.codes.atom.size());
    }
    return problem;
}

Residuals residuals_of(const AtomProblem& problem, const Mat& D, bool gaps) {
    Residuals residuals;
    residuals.left = Mat::Zero(Residuals::padded(D.rows()), problem.Y.cols());
    residuals.left.topRows(D.rows()) = problem.Y - (D * problem.X).cwiseProduct(problem.observed);
    if (!gaps) return residuals;
    residuals.observed = Mat::Zero(residuals.left.rows(), problem.Y.cols());
    residuals.observed.topRows(D.rows()) = problem.observed;
    return residuals;
}

// Rows of the dictionary are independent given the codes: row m has precision M I + e sum x x^T over the observed
// entries.
void expect_atoms_from_posterior(bool gaps) {
    constexpr int draws = 40'000;
    const Eigen::Index M = 9;  // more than a group of rows
    const AtomProblem problem = atom_problem(M, gaps);
    OnOffState state = small_state(M, 3);
    Residuals residuals = residuals_of(problem, state.D, gaps);
    Mat mean = Mat::Zero(M, 3), second = mean;
    for (int i = 0; i < draws; ++i) {
        draw_atoms({.seed = 4, .sweep = static_cast<std::uint32_t>(i), .chain = 0}, problem.codes, 1, state, residuals);
        mean += state.D / draws;
        second += state.D.cwiseAbs2() / draws;
    }
    EXPECT_LT((residuals.left - residuals_of(problem, state.D, gaps).left).norm(), 1e-9);
    constexpr double widened = 9.0;  // of the variance, for the autocorrelation
    for (Eigen::Index m = 0; m < M; ++m) {
        const Mat seen = problem.X * problem.observed.row(m).asDiagonal();
        const Mat covariance = test::inverse(static_cast<double>(M) * Mat::Identity(3, 3) +
                                             state.noise_precision * seen * problem.X.transpose());
        const Vec want = state.noise_precision * covariance * seen * problem.Y.row(m).transpose();
        for (Eigen::Index n = 0; n < 3; ++n) {
            const double variance = covariance(n, n);
            EXPECT_NEAR(mean(m, n), want[n], 6.0 * std::sqrt(widened * variance / draws)) << m << ", " << n;
            EXPECT_NEAR(second(m, n) - mean(m, n) * mean(m, n), variance,
                        6.0 * variance * std::sqrt(2.0 * widened / draws))
                << m << ", " << n;
        }
    }
}

TEST(BpfaAtoms, ComeFromTheirPosterior) {
    expect_atoms_from_posterior(false);
}

TEST(BpfaAtoms, OfWhatIsObservedComeFromTheirPosterior) {
    expect_atoms_from_posterior(true);
}

TEST(BpfaAtoms, ThreadsChangeNothing) {
    const AtomProblem problem = atom_problem(21, true);
    OnOffState one = small_state(21, 3), three = one;
    Residuals left_one = residuals_of(problem, one.D, true), left_three = left_one;
    const OnOffNumbers draw{.seed = 4, .sweep = 2, .chain = 1};
    draw_atoms(draw, problem.codes, 1, one, left_one);
    draw_atoms(draw, problem.codes, 3, three, left_three);
    EXPECT_EQ(one.D, three.D);
    EXPECT_EQ(left_one.left, left_three.left);
}

}  // namespace
}  // namespace sbdl
