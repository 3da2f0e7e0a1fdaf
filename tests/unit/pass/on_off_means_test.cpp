// W1 on blocks of signals, against loops that follow the equations one entry at a time and compute every residual anew.
#include "pass/on_off_means.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/compute_scope.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

struct MeansProblem {
    Mat D;  // means of length below 1
    Vec spread, log_odds;
    double gamma = 0.0, tau = 0.0, log_tau = 0.0;

    MeansProblem(const Shape& shape, Numbers& numbers) : D(unit_columns(numbers.normals(shape.M, shape.N))) {
        for (Eigen::Index n = 0; n < shape.N; ++n) D.col(n) *= 0.2 + 0.8 * numbers.uniform();
        spread = 1.0 - D.colwise().squaredNorm().transpose().array();
        log_odds = numbers.normals(shape.N, 1);
        gamma = 3.0 + 20.0 * numbers.uniform();
        tau = 0.2 + numbers.uniform();
        log_tau = std::log(tau) - 0.1;
    }
    [[nodiscard]] OnOffMeansSweep sweep() const { return {&D, &spread, &log_odds, gamma, tau, log_tau}; }
};

/// The codes of all signals, as the equations have them.
struct NaiveMeans {
    Mat x, w, off, m;  // N x L; off = 1 - w

    explicit NaiveMeans(const Shape& shape) : x(Mat::Zero(shape.N, shape.L)), w(x), off(x), m(x) {}

    void update(const MeansProblem& problem, const Mat& Y) {
        const double v = 1.0 / (problem.gamma + problem.tau);
        for (Eigen::Index l = 0; l < Y.cols(); ++l)
            for (Eigen::Index n = 0; n < problem.D.cols(); ++n) {
                Vec r = Y.col(l);
                for (Eigen::Index k = 0; k < problem.D.cols(); ++k)
                    if (k != n) r -= problem.D.col(k) * x(k, l);
                m(n, l) = problem.gamma * v * problem.D.col(n).dot(r);
                const double log_odds =
                    problem.log_odds[n] + 0.5 * (problem.log_tau + std::log(v) + m(n, l) * m(n, l) / v);
                w(n, l) = 1.0 / (1.0 + std::exp(-log_odds));
                off(n, l) = 1.0 / (1.0 + std::exp(log_odds));
                x(n, l) = w(n, l) * m(n, l);
            }
    }
    [[nodiscard]] Mat second_moment(double v) const { return (w.array() * (m.array().square() + v)).matrix(); }
    [[nodiscard]] double entropy() const {
        return -(w.array() * w.array().log() + off.array() * off.array().log()).sum();
    }
};

TEST(OnOffMeans, AreTheNaiveUpdates) {
    const ComputeScope scope;
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{6, 4, 40}, Shape{5, 9, 131}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        Numbers numbers(141);
        const Mat Y = numbers.normals(shape.M, shape.L);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), 1);
        pass.start_mean_codes();
        NaiveMeans naive(shape);
        for (int sweep = 0; sweep < 3; ++sweep) {
            SCOPED_TRACE(sweep);
            const MeansProblem problem(shape, numbers);  // everything but the codes changes between sweeps
            naive.update(problem, Y);
            const Vec scale = Vec::Ones(shape.N);
            pass.begin_record(true);
            const SufficientStats& stats = pass.sweep(problem.sweep(), &scale);
            const CodeRecord record = pass.take_record();

            const double v = 1.0 / (problem.gamma + problem.tau);
            const Mat second = naive.second_moment(v);
            Mat x_xt = naive.x * naive.x.transpose();
            x_xt.diagonal() = second.rowwise().sum();
            const double residual_sq = (Y - problem.D * naive.x).squaredNorm() + second.sum() -
                                       (problem.D * naive.x.rowwise().norm().asDiagonal()).squaredNorm();
            EXPECT_LE(relative_error(as_columns(record.mean()), naive.x), 1e-12);
            EXPECT_LE(relative_error(as_columns(record.std()), (second - naive.x.cwiseAbs2()).cwiseSqrt()), 1e-12);
            EXPECT_LE(relative_error(as_columns(record.probability()), naive.w), 1e-12);
            EXPECT_LE(relative_error(stats.users, naive.w.rowwise().sum()), 1e-13);
            EXPECT_LE(relative_error(stats.y_xt, Y * naive.x.transpose()), 1e-12);
            EXPECT_LE(relative_error(stats.x_xt, x_xt), 1e-12);
            EXPECT_LE(relative_error(stats.residual_sq, residual_sq), 1e-12);
            EXPECT_LE(relative_error(stats.objective.support_entropy, naive.entropy()), 1e-12);
        }
    }
}

TEST(OnOffMeans, AreTheSameForAnyNumberOfThreads) {
    const ComputeScope scope;
    Numbers numbers(142);
    const Shape shape{4, 7, 1000};
    const Matrix rows = to_rows(numbers.normals(shape.M, shape.L));
    const MemorySource source{rows};
    const MeansProblem problem(shape, numbers);
    const auto two_sweeps = [&](int threads) {
        ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(shape.N), threads);
        pass.start_mean_codes();
        pass.sweep(problem.sweep());
        return pass.sweep(problem.sweep());
    };
    const SufficientStats want = two_sweeps(1);
    for (const int threads : {2, 3}) {
        const SufficientStats got = two_sweeps(threads);
        EXPECT_EQ(got.y_xt, want.y_xt);
        EXPECT_EQ(got.x_xt, want.x_xt);
        EXPECT_EQ(got.users, want.users);
        EXPECT_EQ(got.residual_sq, want.residual_sq);
        EXPECT_EQ(got.objective.support_entropy, want.objective.support_entropy);
    }
}

// Entries that are certainly on or off have no entropy, and nothing overflows on the way.
TEST(OnOffMeans, StayFiniteWhereEntriesAreCertain) {
    const ComputeScope scope;
    const Matrix rows(1, 1, 1e6);
    const MemorySource source{rows};
    const Mat D = Mat::Ones(1, 1);
    const Vec spread = Vec::Zero(1);
    for (const double log_odds : {-2e12, 0.0, 2e12}) {
        const Vec odds = Vec::Constant(1, log_odds);
        ThreadPass pass = pass_over(source, 1.0, 1, 1);
        pass.start_mean_codes();
        const SufficientStats& stats = pass.sweep(OnOffMeansSweep{&D, &spread, &odds, 1.0, 1.0, 0.0});
        EXPECT_EQ(stats.users[0], log_odds < 0.0 ? 0.0 : 1.0);
        EXPECT_EQ(stats.objective.support_entropy, 0.0);
        EXPECT_EQ(stats.y_xt(0, 0), log_odds < 0.0 ? 0.0 : 0.5e12);
    }
}

}  // namespace
}  // namespace sbdl::test
