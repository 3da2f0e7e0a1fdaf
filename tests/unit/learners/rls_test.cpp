// RLS-DLA: the recursion is least squares.
#include <gtest/gtest.h>

#include <cmath>

#include "learners/rls/rls_learner.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "sbdl/rls.hpp"
#include "support/dense_algebra.hpp"
#include "support/easy_set.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

struct RlsCase {
    Mat D, Y, X;
};

RlsCase rls_case() {
    test::Numbers numbers(12);
    RlsCase made;
    made.D = numbers.normals(5, 6).colwise().normalized();
    made.Y = numbers.normals(5, 40);
    made.X = Mat::NullaryExpr(6, 40, [&] { return numbers.uniform() < 0.5 ? numbers.normal() : 0.0; });
    return made;
}

TEST(Rls, EqualsLeastSquaresWhenNothingIsForgotten) {
    const auto [D, Y, X] = rls_case();
    RlsLearner learner(D, Mat::Identity(6, 6), 0, {});
    const SparseCodes codes = sparse_codes(X);
    for (std::size_t l = 0; l < codes.count(); ++l) learner.follow(Y.col(static_cast<Eigen::Index>(l)), codes, l, 1.0);
    const Mat C = test::inverse(Mat::Identity(6, 6) + X * X.transpose());
    EXPECT_LT((learner.C() - C).norm(), 1e-12);
    EXPECT_LT((learner.dictionary() - (D + Y * X.transpose()) * C).norm(), 1e-12);
}

TEST(Rls, EqualsWeightedLeastSquaresWhenOldSignalsAreForgotten) {
    const auto [D, Y, X] = rls_case();
    constexpr double kept = 0.9;
    RlsLearner learner(D, Mat::Identity(6, 6), 0, {});
    const SparseCodes codes = sparse_codes(X);
    Mat A = Mat::Identity(6, 6), B = D;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        const auto i = static_cast<Eigen::Index>(l);
        learner.follow(Y.col(i), codes, l, kept);
        A = (kept * A + X.col(i) * X.col(i).transpose()).eval();
        B = (kept * B + Y.col(i) * X.col(i).transpose()).eval();
    }
    EXPECT_LT((learner.dictionary() - B * test::inverse(A)).norm(), 1e-10);
    EXPECT_LT((learner.C() - test::inverse(A)).norm(), 1e-10);
}

TEST(Rls, TidyingChangesScalesOnly) {
    const auto [D, Y, X] = rls_case();
    RlsLearner learner(D, Mat::Identity(6, 6), 0, {});
    const SparseCodes codes = sparse_codes(X);
    for (std::size_t l = 0; l < 10; ++l) learner.follow(Y.col(static_cast<Eigen::Index>(l)), codes, l, 1.0);
    const Mat before_D = learner.dictionary(), before_C = learner.C();
    learner.tidy();
    const Vec norms = before_D.colwise().norm();
    EXPECT_LT((learner.dictionary() * norms.asDiagonal() - before_D).norm(), 1e-13);
    EXPECT_LT((norms.asDiagonal() * learner.C() * norms.asDiagonal() - before_C).norm(), 1e-12);
    EXPECT_LT((learner.dictionary().colwise().norm().array() - 1.0).abs().maxCoeff(), 1e-14);
}

TEST(Rls, AnAtomThatNobodyUsesDoesNotOverflow) {
    const auto [D, Y, X] = rls_case();
    Mat unused = X;
    unused.row(3).setZero();
    RlsLearner learner(D, Mat::Identity(6, 6), 0, [](double) { return 0.5; });
    for (int pass = 0; pass < 100; ++pass) learner.learn(Y, sparse_codes(unused));
    EXPECT_TRUE(learner.dictionary().allFinite());
    for (const double entry : test::values_of(learner.state().code_products)) EXPECT_TRUE(std::isfinite(entry));
    EXPECT_LT((learner.dictionary().col(3) - D.col(3)).norm(), 1e-12);
}

TEST(Rls, ForgettingIsUsed) {
    const SynthSet truth = test::easy_set(200);
    RlsOptions options;
    options.atoms = 12;
    options.sparsity = 2;
    options.sweeps = 2;
    const auto learned = [&] { return test::values_of(train(MemorySource{truth.signals}, options).model.dictionary); };
    const auto usual = learned();
    options.forgetting = 0.9;
    EXPECT_NE(usual, learned());
    options.forget_share = 0.0;  // forgets nothing from the start, whatever the rate
    const auto never = learned();
    options.forgetting = 1.0;
    options.forget_share = 0.85;
    EXPECT_EQ(never, learned());
}

}  // namespace
}  // namespace sbdl
