// Steps with the Gram matrix against the formula, on every instruction set of this machine; and FISTA with them against
// FISTA with products with the dictionary.
#include "coders/soft_steps.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "coders/fista.hpp"
#include "support/highway_target.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class SoftStepsOn : public testing::TestWithParam<std::int64_t> {
protected:
    HighwayTarget target_{GetParam()};
};

TEST_P(SoftStepsOn, FollowTheFormula) {
    Numbers numbers(1);
    for (const Eigen::Index N : {1, 31, 32, 50}) {
        const Mat D = numbers.normals(20, N).colwise().normalized();
        const PaddedGram gram(D);
        const double L = 2.0 * static_cast<double>(N), lambda = 0.8;
        const Vec c = D.transpose() * numbers.normals(20, 1);
        Vec x = numbers.normals(N, 1), z = numbers.normals(N, 1);
        x.head(N / 2).setZero();
        z.tail(N / 3).setZero();
        AlignedDoubles padded_c(gram.padded(), 0.0), padded_x(padded_c), padded_z(padded_c);
        Vec::Map(padded_c.data(), N) = c;
        Vec::Map(padded_x.data(), N) = x;
        Vec::Map(padded_z.data(), N) = z;

        const std::vector<double> momenta{0.3, 0.0, 0.7};
        double want_moved = 0.0;
        for (const double m : momenta) {
            Mat next = z + (c - D.transpose() * (D * z)) / L;
            soften(next, lambda / L);
            want_moved = (next - x).lpNorm<Eigen::Infinity>();
            z = next + m * (next - x);
            x = next;
        }
        const double moved =
            SoftSteps(gram, L, lambda).make(momenta, padded_c.data(), padded_x.data(), padded_z.data());
        EXPECT_NEAR(moved, want_moved, 1e-13);
        EXPECT_LT((Vec::Map(padded_x.data(), N) - x).norm(), 1e-13);
        EXPECT_LT((Vec::Map(padded_z.data(), N) - z).norm(), 1e-13);
        for (std::size_t n = static_cast<std::size_t>(N); n < gram.padded(); ++n) EXPECT_EQ(padded_z[n], 0.0);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, SoftStepsOn, testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

TEST(Fista, StepsByTheGramMatrixAgreeWithStepsByProducts) {
    Numbers numbers(2);
    const Mat D = numbers.normals(12, 30).colwise().normalized(), Y = numbers.normals(12, 40);
    for (const Fista::Stop stop : {Fista::Stop{15, 0.0}, Fista::Stop{2000, 1e-8}}) {
        Mat by_gram = numbers.normals(30, 40), by_products = by_gram;
        const auto unsettled = Fista(D, Fista::Steps::by_gram).code(Y, 0.2, stop, by_gram);
        EXPECT_EQ(Fista(D, Fista::Steps::by_products).code(Y, 0.2, stop, by_products), unsettled);
        EXPECT_LT((by_gram - by_products).norm(), 1e-10);
        EXPECT_GT((by_gram.array() == 0.0).count(), 0);
    }
}

TEST(Fista, PlainStepsNeverRaiseTheObjectiveAndStopWhenNothingMoves) {
    Numbers numbers(3);
    const Mat D = numbers.normals(12, 30).colwise().normalized(), Y = numbers.normals(12, 40);
    const Mat start = numbers.normals(30, 40);
    constexpr double lambda = 0.2;
    for (const Fista::Steps how : {Fista::Steps::by_gram, Fista::Steps::by_products}) {
        const Fista fista(D, how);
        const auto objective = [&](const Mat& X) { return 0.5 * (Y - D * X).squaredNorm() + lambda * X.lpNorm<1>(); };
        Mat X = start;
        for (int step = 0; step < 20; ++step) {
            const double before = objective(X);
            fista.plain_steps(Y, lambda, {1, 0.0}, X);
            EXPECT_LE(objective(X), before * (1.0 + 1e-14));
        }
        Mat at_once = start;
        fista.plain_steps(Y, lambda, {20, 0.0}, at_once);
        EXPECT_LT((at_once - X).norm(), 1e-12);
        fista.plain_steps(Y, lambda, {100000, 1e-9}, X);
        EXPECT_LT(fista.gaps(Y, X, lambda).maxCoeff(), 1e-5);
        const Mat settled = X;
        fista.plain_steps(Y, lambda, {100000, 1e-9}, X);
        EXPECT_LE((X - settled).lpNorm<Eigen::Infinity>(), 1e-9) << "one step";
    }
}

TEST(Fista, TheGramMatrixIsForSparseCodesOfDictionariesNotTooWide) {
    const Mat D(20, 50), wide(20, 100);
    EXPECT_EQ(Fista::cheaper(D, 4.0), Fista::Steps::by_gram);
    EXPECT_EQ(Fista::cheaper(D, 15.0), Fista::Steps::by_products);
    EXPECT_EQ(Fista::cheaper(wide, 4.0), Fista::Steps::by_products);
    EXPECT_EQ(Fista::cheaper(D, std::numeric_limits<double>::quiet_NaN()), Fista::Steps::by_products) << "unknown";
}

}  // namespace
}  // namespace sbdl::test
