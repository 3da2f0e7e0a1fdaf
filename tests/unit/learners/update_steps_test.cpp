// The steps by which MOD, SimCO, majorization and APrU-DL change atoms: what each minimises never rises.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learners/apru/apru_method.hpp"
#include "learners/majorization/majorization_method.hpp"
#include "learners/mod/mod_method.hpp"
#include "learners/rounds/support_fit.hpp"
#include "learners/simco/simco_method.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/error.hpp"
#include "sbdl/majorization.hpp"
#include "support/dense_algebra.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"
#include "support/sparse_checks.hpp"
#include "support/sparse_codes.hpp"

namespace sbdl::test {
namespace {

TEST(SupportFit, IsLeastSquaresWithARidgeOnTheSupport) {
    Numbers numbers(1);
    const Mat D = numbers.normals(8, 6).colwise().normalized();
    const Mat gram = D.transpose() * D;
    const Vec y = numbers.normals(8, 1);
    const Vec correlations = D.transpose() * y;
    const std::vector<std::uint32_t> atoms{4, 1, 3};
    Mat chosen(8, 3);
    for (Eigen::Index k = 0; k < 3; ++k) chosen.col(k) = D.col(atoms[static_cast<std::size_t>(k)]);
    SupportFit fit(gram);
    for (const double ridge : {0.0, 0.3}) {
        std::vector<double> values(3);
        fit.solve(atoms, correlations.data(), ridge, values);
        const Vec want = inverse(chosen.transpose() * chosen + ridge * Mat::Identity(3, 3)) * chosen.transpose() * y;
        for (Eigen::Index k = 0; k < 3; ++k) EXPECT_NEAR(values[static_cast<std::size_t>(k)], want[k], 1e-12);
    }
    std::vector<double> twice(2);
    fit.solve(std::vector<std::uint32_t>{2, 2}, correlations.data(), 0.0, twice);
    EXPECT_NEAR(twice[0] + twice[1], correlations[2], 1e-4) << "dependent atoms share";
    fit.solve({}, correlations.data(), 0.0, {});
}

TEST(ModAtoms, AreTheLeastSquaresSolutionAtUnitNorm) {
    for (const Shape& shape : {Shape{8, 12, 300}, Shape{20, 5, 1300}}) {
        CodedState state(shape, 3, 5);
        const Mat X = state.codes();
        const Mat want = state.Y * X.transpose() * inverse(X * X.transpose());
        const double before = state.pass.residual.squaredNorm();
        take_best_atoms(state.D, state.pass, SharedParts(state.pass.codes.count()), 2);
        EXPECT_LT((state.D - want.colwise().normalized()).norm(), 1e-9);
        EXPECT_LT(state.pass.residual.squaredNorm(), before);
        EXPECT_NEAR(state.pass.residual.squaredNorm(), (state.Y - want * X).squaredNorm(), 1e-9 * before);
        EXPECT_LE((state.Y - state.D * state.codes() - state.pass.residual).norm(), 1e-11 * state.Y.norm());
        take_best_atoms(state.D, state.pass, SharedParts(state.pass.codes.count()), 1);
        EXPECT_LT((state.D - want.colwise().normalized()).norm(), 1e-8) << "the best stay the best";
    }
}

// Fewer signals than atoms, an unused atom, codes that are all zero: the codes do not determine the atoms.
TEST(ModAtoms, NeverRaiseTheResidualWhereTheCodesDecideLittle) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        CodedState state({6, 20, 9}, 2, seed);
        for (std::size_t k = 0; k < state.pass.codes.atom.size(); ++k)
            if (state.pass.codes.atom[k] == 3) state.pass.codes.atom[k] = 4;
        state.pass.residual = state.Y - state.D * state.codes();
        const Vec unused = state.D.col(3);
        const double before = state.pass.residual.squaredNorm();
        take_best_atoms(state.D, state.pass, SharedParts(state.pass.codes.count()), 1);
        EXPECT_LE(state.pass.residual.squaredNorm(), before * (1.0 + 1e-12));
        EXPECT_EQ(state.D.col(3), unused);
        EXPECT_TRUE(state.D.allFinite());
        for (Eigen::Index n = 0; n < 20; ++n) EXPECT_NEAR(state.D.col(n).norm(), 1.0, 1e-12);
    }
}

TEST(SimcoSearch, TheCostNeverRisesAndIsWhatTheCodesLeave) {
    for (const double mu : {0.0, 0.05, 1.0}) {
        CodedState state({8, 12, 600}, 2, 6);
        SphereSearch search(state.Y, 1);
        double cost = search.solve_codes(state.D, mu, state.pass);
        const double first = cost;
        for (int step = 0; step < 6; ++step) {
            const double next = search.step(mu, cost, state.D, state.pass);
            EXPECT_LE(next, cost) << mu;
            cost = next;
            const Mat X = state.codes();
            EXPECT_NEAR(cost, (state.Y - state.D * X).squaredNorm() + mu * X.squaredNorm(), 1e-9 * cost);
            for (Eigen::Index n = 0; n < 12; ++n) EXPECT_NEAR(state.D.col(n).norm(), 1.0, 1e-13);
        }
        EXPECT_LT(cost, 0.999 * first) << "it should get somewhere";
    }
}

TEST(SimcoSearch, CodesOnTheirSupportsAreTheBest) {
    CodedState state({8, 12, 50}, 3, 7);
    const SphereSearch search(state.Y, 1);
    search.solve_codes(state.D, 0.0, state.pass);
    const Mat slope = state.D.transpose() * (state.Y - state.D * state.codes());
    for (std::size_t l = 0; l < 50; ++l)
        for (std::size_t k = state.pass.codes.start[l]; k < state.pass.codes.start[l + 1]; ++k)
            EXPECT_NEAR(slope(state.pass.codes.atom[k], static_cast<Eigen::Index>(l)), 0.0, 1e-10);
}

TEST(SimcoSearch, ThreadsChangeNothing) {
    const CodedState start({8, 12, 2000}, 2, 8);
    CodedState one = start, three = start;
    SphereSearch alone(one.Y, 1), together(three.Y, 3);
    double a = alone.solve_codes(one.D, 0.05, one.pass), b = together.solve_codes(three.D, 0.05, three.pass);
    for (int step = 0; step < 2; ++step) {
        a = alone.step(0.05, a, one.D, one.pass);
        b = together.step(0.05, b, three.D, three.pass);
    }
    EXPECT_EQ(a, b);
    EXPECT_EQ(one.D, three.D);
}

TEST(SimcoSearch, StaysWhereNothingCanBeGained) {
    CodedState state({8, 4, 30}, 2, 9);
    state.Y = state.D * state.codes();
    SphereSearch search(state.Y, 1);
    const double cost = search.solve_codes(state.D, 0.0, state.pass);
    EXPECT_LE(cost, 1e-20);
    EXPECT_LE(search.step(0.0, cost, state.D, state.pass), cost);
}

TEST(MajorizationAtoms, TheResidualNeverRises) {
    Numbers numbers(10);
    const Mat X = numbers.normals(12, 80), Y = numbers.normals(8, 80);
    const Mat x_xt = X * X.transpose(), y_xt = Y * X.transpose();
    Mat D = numbers.normals(8, 12).colwise().normalized();
    double before = (Y - D * X).squaredNorm();
    for (int step = 0; step < 30; ++step) {
        step_atoms(x_xt, y_xt, 1, 0.0, D);
        const double after = (Y - D * X).squaredNorm();
        EXPECT_LE(after, before * (1.0 + 1e-13));
        before = after;
        for (Eigen::Index n = 0; n < 12; ++n) EXPECT_NEAR(D.col(n).norm(), 1.0, 1e-13);
    }
    Mat still = D;
    step_atoms(Mat::Zero(12, 12), Mat::Zero(8, 12), 5, 0.0, still);
    EXPECT_EQ(still, D);
}

TEST(Majorization, TheObjectiveNeverRises) {
    const SynthSet set = easy_set(200);
    MajorizationOptions options;
    options.atoms = 12;
    options.lambda = 0.3;
    options.least_users = 0;
    options.duplicate_correlation = 1.0;  // replacing atoms is not a descent step
    options.sweeps = 25;
    const Trace trace = train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}).model.trace;
    ASSERT_EQ(trace.objective.size(), 25U);
    double before = std::numeric_limits<double>::infinity();
    for (const double after : trace.objective) {
        EXPECT_LE(after, before * (1.0 + 1e-13));
        before = after;
    }
}

/// 1/2 ||E||^2 + lambda ||profiles||_1
double profile_objective(const Mat& residual, const Mat& profiles, double lambda) {
    return 0.5 * residual.squaredNorm() + lambda * profiles.lpNorm<1>();
}

TEST(ApruProfiles, TheObjectiveNeverRisesAndTheResidualFollows) {
    Numbers numbers(11);
    const Mat Y = numbers.normals(8, 1500);
    Mat D = numbers.normals(8, 12).colwise().normalized();
    Mat profiles = 0.3 * numbers.normals(1500, 12);
    Mat residual = Y - D * profiles.transpose();
    ProfileFit fit(0.4, 1);
    double before = profile_objective(residual, profiles, 0.4);
    for (int pass = 0; pass < 2; ++pass)
        for (Eigen::Index n = 0; n < 12; ++n) {
            fit.refit(n, D, profiles, residual);
            const double after = profile_objective(residual, profiles, 0.4);
            EXPECT_LE(after, before * (1.0 + 1e-13)) << n;
            before = after;
            EXPECT_NEAR(D.col(n).norm(), 1.0, 1e-13);
        }
    EXPECT_LE((Y - D * profiles.transpose() - residual).norm(), 1e-11 * Y.norm());
    EXPECT_GT((profiles.array() == 0.0).count(), 0) << "profiles are thresholded";
    EXPECT_LT(profiles.minCoeff(), 0.0);
    EXPECT_GT(profiles.maxCoeff(), 0.0);
}

// The released code stops there, with the atom's contribution left in the residual and the following atoms untouched.
TEST(ApruProfiles, AProfileThatBecomesZeroLeavesTheAtomAndTheRestGoesOn) {
    Numbers numbers(12);
    const Mat Y = numbers.normals(5, 40);
    Mat D = Mat::Identity(5, 3);
    Mat signals = Y;
    signals.row(1).setZero();  // no signal correlates with atom 1
    Mat profiles = Mat::Constant(40, 3, 0.01);
    Mat residual = signals - D * profiles.transpose();
    ProfileFit fit(0.2, 1);
    const Mat before = D;
    for (Eigen::Index n = 0; n < 3; ++n) fit.refit(n, D, profiles, residual);
    EXPECT_EQ(D.col(1), before.col(1));
    EXPECT_EQ(profiles.col(1), Vec::Zero(40));
    EXPECT_NE(D.col(2), before.col(2));
    EXPECT_LE((signals - D * profiles.transpose() - residual).norm(), 1e-12 * signals.norm());
}

TEST(ApruProfiles, ThreadsChangeNothing) {
    Numbers numbers(13);
    const Mat Y = numbers.normals(8, 3000);
    const Mat start = numbers.normals(8, 4).colwise().normalized();
    Mat D1 = start, D3 = start, X1 = Mat::Zero(3000, 4), X3 = X1, E1 = Y, E3 = Y;
    ProfileFit one(0.4, 1), three(0.4, 3, 0.0);
    for (Eigen::Index n = 0; n < 4; ++n) {
        one.refit(n, D1, X1, E1);
        three.refit(n, D3, X3, E3);
    }
    EXPECT_EQ(D1, D3);
    EXPECT_EQ(X1, X3);
    EXPECT_EQ(E1, E3);
}

TEST(Apru, TheParameterSetsOfThePaperAreItsNumbers) {
    const SynthSet set = easy_set(60);
    const MemorySource source{set.signals};
    const auto dictionary = [&](auto set_up) {
        ApruOptions options = ApruOptions::preset(Preset::standard, 12);
        options.sweeps = 3;
        set_up(options);
        return train(source, options, {.execution = {.threads = 1}}).model.dictionary;
    };
    const auto own = [](double lambda, double lambda_s) {
        return [=](ApruOptions& o) {
            o.lambda = lambda;
            o.lambda_s = lambda_s;
        };
    };
    const auto named = [](ApruParameters which) { return [=](ApruOptions& o) { o.parameters = which; }; };
    const Matrix f = dictionary(named(ApruParameters::f)), l = dictionary(named(ApruParameters::l));
    EXPECT_TRUE(same_entries(f, dictionary(own(0.2, 0.15))));
    EXPECT_TRUE(same_entries(l, dictionary(own(0.4, 0.4))));
    EXPECT_FALSE(same_entries(f, l));
}

TEST(Apru, BothWeightsOrASetMustBeGiven) {
    ApruOptions options = ApruOptions::preset(Preset::standard, 12);
    options.lambda = 0.2;
    expect_error<InputError>([&] { validate(options); }, {"lambda_s (", "is missing", "parameters f or l"});
    options.lambda_s = 0.0;
    expect_error<InputError>([&] { validate(options); }, {"lambda_s is 0, must be above 0"});
    options.lambda_s = 0.1;
    EXPECT_NO_THROW(validate(options));
    options.parameters = ApruParameters::f;
    expect_error<InputError>([&] { validate(options); }, {"give either lambda or parameters f, not both"});
    options.lambda.reset();
    options.lambda_s.reset();
    EXPECT_NO_THROW(validate(options));
}

// The order of the atoms is drawn again each round, and a continued run does not repeat the orders of the first rounds.
TEST(Apru, TheOrderOfAtomsDependsOnTheSeedToo) {
    const SynthSet set = easy_set(200);
    Model start;
    start.dictionary = set.dictionary;
    ApruOptions options = ApruOptions::preset(Preset::standard, 12);
    options.parameters = ApruParameters::f;
    options.sweeps = 1;
    const auto dictionary = [&](std::uint64_t seed, int sweeps_before) {
        start.trace.sweep.assign(static_cast<std::size_t>(sweeps_before), 1);
        Context context{.execution = {.threads = 1}, .seed = seed};
        context.start = &start;
        return train(MemorySource{set.signals}, options, context).model.dictionary;
    };
    EXPECT_TRUE(same_entries(dictionary(1, 0), dictionary(1, 0)));
    EXPECT_FALSE(same_entries(dictionary(1, 0), dictionary(2, 0)));
    EXPECT_FALSE(same_entries(dictionary(1, 0), dictionary(1, 1)));
}

}  // namespace
}  // namespace sbdl::test
