// FISTA: its iterates, the lasso's optimality conditions, the bound that its authors prove, agreement with the
// active-set method; and the public coder with different threads, units and starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "coders/fista.hpp"
#include "lasso_code.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "support/dense_algebra.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

double lasso_objective(const Mat& D, const Vec& y, const Vec& x, double lambda) {
    return 0.5 * (y - D * x).squaredNorm() + lambda * x.lpNorm<1>();
}

/// Unit-norm atoms and signals, one per row.
struct FistaProblem {
    explicit FistaProblem(std::size_t signals, std::uint64_t seed = 3) : atoms(30, 12), rows(signals, 12) {
        Numbers numbers(seed);
        Eigen::Map<Mat>(atoms.data(), 12, 30) = numbers.normals(12, 30).colwise().normalized();
        Eigen::Map<Mat>(rows.data(), 12, static_cast<Eigen::Index>(signals)) =
            numbers.normals(12, static_cast<Eigen::Index>(signals));
    }
    Matrix atoms, rows;
};

bool same_codes(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}

/// The method as published (Beck and Teboulle 2009, section 4, constant step size), one entry at a time.
Vec published_fista(const Mat& D, const Vec& y, double lambda, int steps, Vec x) {
    const double L = std::pow(thin_svd(D).values[0], 2);
    Vec z = x;
    double t = 1.0;
    for (int step = 0; step < steps; ++step) {
        const Vec before = x;
        const Vec moved = z - D.transpose() * (D * z - y) / L;
        for (Eigen::Index n = 0; n < x.size(); ++n)
            x[n] = std::copysign(std::max(std::abs(moved[n]) - lambda / L, 0.0), moved[n]);
        const double next = (1.0 + std::sqrt(1.0 + 4.0 * t * t)) / 2.0;
        z = x + (t - 1.0) / next * (x - before);
        t = next;
    }
    return x;
}

// After 10 steps the gap is looked at, after 1000 more momenta are computed; neither may restart the momentum. Atoms
// that resemble each other are far from done after 1000 steps, as the last check says.
TEST(Fista, IteratesAreThoseOfThePublishedMethod) {
    Numbers numbers(6);
    const Mat D = (numbers.normals(8, 15) + Vec::LinSpaced(8, 20.0, 40.0).replicate(1, 15)).colwise().normalized();
    const Mat Y = numbers.normals(8, 3), start = numbers.normals(15, 3);
    constexpr double lambda = 1e-3, never = 1e-300;
    Mat before = start;
    for (const int steps : {1, 2, 3, 4, 10, 11, 25, 1000, 1001, 1010}) {
        SCOPED_TRACE(steps);
        Mat want = start;
        for (Eigen::Index l = 0; l < 3; ++l) want.col(l) = published_fista(D, Y.col(l), lambda, steps, start.col(l));
        for (const Fista::Steps how : {Fista::Steps::by_gram, Fista::Steps::by_products})
            for (const double tolerance : {0.0, never}) {
                Mat X = start;
                Fista(D, how).code(Y, lambda, {steps, tolerance}, X);
                EXPECT_LT((X - want).lpNorm<Eigen::Infinity>(), 1e-8);
            }
        EXPECT_GT((want - before).lpNorm<Eigen::Infinity>(), 1e-4) << "the step shows";
        before = want;
    }
}

TEST(Fista, MeetsTheOptimalityConditions) {
    Numbers numbers(1);
    for (const Shape& shape : {Shape{10, 25, 40}, Shape{30, 8, 9}, Shape{1, 3, 5}}) {
        const Mat D = numbers.normals(shape.M, shape.N);
        const Mat Y = 3.0 * numbers.normals(shape.M, shape.L);
        const double lambda = 1.5;
        Mat X = Mat::Zero(shape.N, shape.L);
        EXPECT_EQ(Fista(D).code(Y, lambda, {100000, 1e-13}, X), 0U);
        const Mat slope = D.transpose() * (Y - D * X);
        for (Eigen::Index i = 0; i < X.size(); ++i) {
            const double x = X.data()[i], s = slope.data()[i];
            if (x == 0.0)
                EXPECT_LE(std::abs(s), lambda * (1.0 + 1e-4));
            else
                EXPECT_NEAR(s, std::copysign(lambda, x), 1e-4 * lambda) << "x = " << x;
        }
        EXPECT_GT((X.array() < 0.0).count(), 0) << "codes of both signs";
        EXPECT_GT((X.array() > 0.0).count(), 0);
    }
}

TEST(Fista, AgreesWithTheActiveSet) {
    Numbers numbers(2);
    const Mat D = numbers.normals(40, 15);  // more entries than atoms: a unique, sharp minimum
    const Fista fista(D);
    for (int trial = 0; trial < 20; ++trial) {
        const Mat y = 3.0 * numbers.normals(40, 1);
        const double lambda = 2.0 + trial;
        const Vec other = lasso_code(D, y, lambda).x;
        Mat x = Mat::Zero(15, 1);
        fista.code(y, lambda, {100000, 1e-12}, x);
        EXPECT_LE((x - other).lpNorm<Eigen::Infinity>(), 2e-3 * lambda);
        EXPECT_LE(lasso_objective(D, y, x, lambda), lasso_objective(D, y, other, lambda) * (1.0 + 1e-12));
    }
}

// Beck and Teboulle, theorem 4.4.
TEST(Fista, KeepsItsBoundOnTheDistanceFromTheMinimum) {
    Numbers numbers(4);
    const Mat D = numbers.normals(15, 40).colwise().normalized();
    const Fista fista(D);
    for (int trial = 0; trial < 5; ++trial) {
        const Mat y = numbers.normals(15, 1);
        const Mat start = trial % 2 == 0 ? Mat::Zero(40, 1) : Mat(numbers.normals(40, 1));
        const double lambda = 0.1;
        Mat best = start;
        fista.code(y, lambda, {200000, 1e-14}, best);
        const double least = lasso_objective(D, y, best, lambda);
        for (const int steps : {1, 2, 3, 5, 8, 15, 40, 100}) {
            Mat x = start;
            fista.code(y, lambda, {steps, 0.0}, x);
            const double above = lasso_objective(D, y, x, lambda) - least;
            EXPECT_LE(above, 2.0 * fista.lipschitz() * (start - best).squaredNorm() / ((steps + 1.0) * (steps + 1.0)))
                << steps << " steps";
        }
    }
}

TEST(Fista, TheGapIsAnUpperBoundAndClosesAtTheMinimum) {
    Numbers numbers(5);
    const Mat D = numbers.normals(10, 20);
    const Mat Y = numbers.normals(10, 6);
    const Fista fista(D);
    Mat best = Mat::Zero(20, 6);
    fista.code(Y, 0.5, {200000, 1e-14}, best);
    const Mat other = numbers.normals(20, 6);
    const Vec gaps = fista.gaps(Y, other, 0.5), closed = fista.gaps(Y, best, 0.5);
    for (Eigen::Index i = 0; i < 6; ++i) {
        EXPECT_GE(gaps[i], lasso_objective(D, Y.col(i), other.col(i), 0.5) -
                               lasso_objective(D, Y.col(i), best.col(i), 0.5) - 1e-12);
        EXPECT_LE(closed[i], 1e-13 * Y.col(i).squaredNorm());
    }
}

// The lower bound is y'u - u'u / 2 for any u whose correlations with the atoms are at most lambda: a part of the
// residual.
TEST(Fista, TheGapIsThatOfTheResidualScaledToBeFeasible) {
    Numbers numbers(6);
    const Mat D = numbers.normals(10, 20);
    const Mat Y = numbers.normals(10, 6), X = numbers.normals(20, 6);
    const Vec gaps = Fista(D).gaps(Y, X, 0.5);
    for (Eigen::Index i = 0; i < 6; ++i) {
        const Vec residual = Y.col(i) - D * X.col(i);
        const double largest = (D.transpose() * residual).cwiseAbs().maxCoeff();
        ASSERT_GT(largest, 0.5);
        const Vec feasible = residual * (0.5 / largest);
        const double bound = feasible.dot(Y.col(i)) - 0.5 * feasible.squaredNorm();
        EXPECT_NEAR(gaps[i], lasso_objective(D, Y.col(i), X.col(i), 0.5) - bound, 1e-9 * gaps[i]);
    }
}

TEST(Fista, IsSoftThresholdingForOrthonormalAtoms) {
    Mat y(3, 1);
    y << 3.0, -1.5, 0.2;
    Mat x = Mat::Zero(3, 1);
    const Mat D = Mat::Identity(3, 3);
    Fista(D).code(y, 1.0, {100, 1e-12}, x);
    EXPECT_NEAR(x(0), 2.0, 1e-9);
    EXPECT_NEAR(x(1), -0.5, 1e-9);
    EXPECT_EQ(x(2), 0.0);
    Mat nothing = Mat::Constant(3, 1, 7.0);
    Fista(Mat::Zero(3, 3)).code(y, 1.0, {100, 1e-12}, nothing);
    EXPECT_EQ(nothing, Mat::Zero(3, 1)) << "atoms that are all zero have no codes";
}

TEST(EncodeFista, ThreadsAndBlocksDoNotChangeTheResult) {
    const FistaProblem problem(300);  // three blocks, the last not full
    const FistaOptions options{.lambda = 0.3};
    const Matrix one = encode(problem.atoms, problem.rows, options, {.execution = {.threads = 1}}).dense;
    EXPECT_TRUE(same_codes(one, encode(problem.atoms, problem.rows, options, {.execution = {.threads = 3}}).dense));
    const MatrixView last{problem.rows.row(299).data(), 1, 12};
    const Matrix alone = encode(problem.atoms, last, options, {.execution = {.threads = 1}}).dense;
    for (std::size_t n = 0; n < 30; ++n) EXPECT_NEAR(alone(0, n), one(299, n), 1e-9);

    std::size_t next = 0;
    encode(problem.atoms, MemorySource{problem.rows}, options, {.execution = {.threads = 2}}, [&](const Codes& codes) {
        EXPECT_EQ(codes.first, next);
        EXPECT_EQ(codes.unsettled, 0U);
        for (std::size_t i = 0; i < codes.dense.rows(); ++i)
            EXPECT_TRUE(std::ranges::equal(codes.dense.row(i), one.row(codes.first + i)));
        next += codes.dense.rows();
    });
    EXPECT_EQ(next, 300U);
}

TEST(EncodeFista, AGoodStartSavesSteps) {
    const FistaProblem problem(50);
    const Matrix codes = encode(problem.atoms, problem.rows, FistaOptions{.lambda = 0.3, .tolerance = 1e-9}).dense;
    const FistaOptions hurried{.lambda = 0.3, .max_steps = 1, .tolerance = 1e-6};
    FistaOptions started = hurried;
    started.start = codes;
    EXPECT_TRUE(same_codes(encode(problem.atoms, problem.rows, started).dense, codes)) << "done before the first step";
    const Codes unfinished = encode(problem.atoms, problem.rows, hurried);
    EXPECT_FALSE(same_codes(unfinished.dense, codes));
    EXPECT_EQ(unfinished.unsettled, 50U);
    const Matrix narrow(50, 29);
    started.start = narrow;
    expect_error<InputError>([&] { encode(problem.atoms, problem.rows, started); }, {"50 x 29", "50 x 30"});
}

TEST(EncodeFista, UnitsDoNotMatter) {
    const FistaProblem problem(20);
    const Matrix want = encode(problem.atoms, problem.rows, FistaOptions{.lambda = 0.3}).dense;
    for (const int exponent : {-600, -3, 600}) {
        FistaProblem scaled = problem;
        for (std::size_t i = 0; i < scaled.rows.size(); ++i)
            scaled.rows.data()[i] = std::ldexp(scaled.rows.data()[i], exponent);
        const Matrix got = encode(scaled.atoms, scaled.rows, FistaOptions{.lambda = std::ldexp(0.3, exponent)}).dense;
        for (std::size_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(std::ldexp(got.data()[i], -exponent), want.data()[i]) << exponent;
        FistaProblem long_atoms = problem;
        for (std::size_t i = 0; i < long_atoms.atoms.size(); ++i)
            long_atoms.atoms.data()[i] = std::ldexp(long_atoms.atoms.data()[i], exponent / 2);
        const Matrix small =
            encode(long_atoms.atoms, long_atoms.rows, FistaOptions{.lambda = std::ldexp(0.3, exponent / 2)}).dense;
        for (std::size_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(std::ldexp(small.data()[i], exponent / 2), want.data()[i]) << exponent;
    }
}

TEST(EncodeFista, LargerWeightsMakeSparserCodesAndSmallSignalsNone) {
    FistaProblem problem(40);
    for (double& entry : problem.rows.row(7)) entry *= 1e-3;
    std::ptrdiff_t before = 40 * 30;
    for (const double lambda : {0.05, 0.3, 1.0, 1e3}) {
        const Matrix codes = encode(problem.atoms, problem.rows, FistaOptions{.lambda = lambda}).dense;
        const auto nonzeros = std::count_if(codes.data(), codes.data() + codes.size(), [](double x) { return x != 0; });
        EXPECT_LT(nonzeros, before);
        before = nonzeros;
        for (const double x : codes.row(7)) EXPECT_EQ(x, 0.0);
    }
    EXPECT_EQ(before, 0);
}

TEST(EncodeFista, RejectsInvalidInput) {
    const FistaProblem problem(5);
    const auto reject = [&](const FistaOptions& options, std::initializer_list<std::string_view> words) {
        expect_error<InputError>([&] { encode(problem.atoms, problem.rows, options); }, words);
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    reject({}, {"lambda is 0, must be a number above 0"});
    reject({.lambda = -0.5}, {"lambda is -0.5"});
    reject({.lambda = infinity}, {"lambda is inf"});
    reject({.lambda = std::numeric_limits<double>::quiet_NaN()}, {"lambda is nan"});
    reject({.lambda = 1.0, .max_steps = 0}, {"max_steps is 0"});
    reject({.lambda = 1.0, .tolerance = -1.0}, {"tolerance is -1"});
    const FistaOptions good{.lambda = 1.0};
    expect_error<InputError>([&] { encode(problem.atoms, Matrix(3, 11), good); }, {"11 entries", "12"});
    expect_error<InputError>([&] { encode(Matrix(), problem.rows, good); }, {"empty"});
    FistaProblem broken = problem;
    broken.atoms(2, 3) = infinity;
    expect_error<InputError>([&] { encode(broken.atoms, broken.rows, good); }, {"atom 2, entry 3", "inf"});
    broken = problem;
    broken.rows(1, 1) = infinity;
    expect_error<InputError>([&] { encode(broken.atoms, broken.rows, good); }, {"inf"});
}

}  // namespace
}  // namespace sbdl::test
