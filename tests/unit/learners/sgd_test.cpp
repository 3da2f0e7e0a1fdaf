// Sparse coding by stochastic gradient descent: its step, its rates.
#include <gtest/gtest.h>

#include <cmath>

#include "learners/rounds/rounds_run.hpp"
#include "learners/sgd/sgd_learner.hpp"
#include "sbdl/sgd.hpp"
#include "support/easy_set.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

TEST(Sgd, AStepGoesAlongTheGradient) {
    test::Numbers numbers(2);
    const Mat D = numbers.normals(5, 3).colwise().normalized();
    const Vec y = numbers.normals(5, 1);
    Vec x(3);
    x << 0.7, 0.0, -1.2;
    constexpr double rate = 0.01;
    SgdLearner learner(D, 0, [](double) { return rate; });
    learner.learn(y, sparse_codes(x));
    const Vec residual = y - D * x;
    for (const Eigen::Index n : {0, 2})
        EXPECT_LT((learner.dictionary().col(n) - (D.col(n) + rate * x[n] * residual).normalized()).norm(), 1e-14) << n;
    EXPECT_EQ(learner.dictionary().col(1), D.col(1)) << "not used, not moved";
    const auto error = [&](const Mat& atoms) { return (y - atoms * x).norm(); };
    EXPECT_LT(error(learner.dictionary()), error(D));
}

TEST(Sgd, TheRateIsAskedForEverySignal) {
    test::Numbers numbers(2);
    const Mat D = numbers.normals(4, 3).colwise().normalized();
    std::vector<double> asked;
    SgdLearner learner(D, 7, [&](double seen) {
        asked.push_back(seen);
        return 0.1;
    });
    learner.learn(numbers.normals(4, 3), sparse_codes(numbers.normals(3, 3)));
    EXPECT_EQ(asked, (std::vector<double>{7.0, 8.0, 9.0}));
}

TEST(Sgd, RatesAreUsed) {
    const SynthSet truth = test::easy_set(200);
    SgdOptions options;
    options.atoms = 12;
    options.sparsity = 2;
    options.sweeps = 2;
    const auto learned = [&] { return test::values_of(train(MemorySource{truth.signals}, options).model.dictionary); };
    const auto usual = learned();
    options.first_rate = 0.3;
    const auto first = learned();
    options.last_rate = 0.01;
    EXPECT_NE(usual, first);
    EXPECT_NE(first, learned());
}

}  // namespace
}  // namespace sbdl
