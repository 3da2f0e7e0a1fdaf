// The refit of one K-SVD atom: against Eigen's SVD, and without harm to the residual and to other signals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learners/ksvd/ksvd_method.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/sparse_codes.hpp"

namespace sbdl::test {
namespace {

constexpr std::array both_updates{KsvdUpdate::exact, KsvdUpdate::approximate};

TEST(KsvdFit, TheResidualNeverRisesAndStaysWhatTheCodesLeave) {
    for (const KsvdUpdate update : both_updates)
        for (const Shape& shape : {Shape{8, 12, 300}, Shape{20, 5, 30}, Shape{1, 3, 9}}) {
            CodedState state(shape, 3, 5);
            const SharedParts parts(state.pass.codes.count());
            const AtomUsers users(state.pass.codes, parts.own());
            AtomFit fit(update, parts, 1);
            double before = state.pass.residual.squaredNorm();
            for (int round = 0; round < 3; ++round)
                for (Eigen::Index n = 0; n < shape.N; ++n) {
                    fit.refit(n, users, state.D, state.pass);
                    const double after = state.pass.residual.squaredNorm();
                    EXPECT_LE(after, before * (1.0 + 1e-13)) << to_string(update) << ", atom " << n << " of " << shape;
                    EXPECT_NEAR(state.D.col(n).norm(), 1.0, 1e-13);
                    before = after;
                }
            EXPECT_LE((state.Y - state.D * state.codes() - state.pass.residual).norm(), 1e-12 * state.Y.norm());
        }
}

TEST(KsvdFit, ExactIsTheFirstSingularPairOfTheUsersResidual) {
    for (const Shape& shape : {Shape{8, 12, 900}, Shape{16, 12, 40}}) {  // more users than entries, and fewer
        CodedState state(shape, 2, 6);
        const SharedParts parts(state.pass.codes.count());
        const AtomUsers users(state.pass.codes, parts.own());
        constexpr Eigen::Index atom = 4;
        const auto mine = users.of(atom);
        Mat E(shape.M, static_cast<Eigen::Index>(mine.size()));
        for (std::size_t i = 0; i < mine.size(); ++i)
            E.col(static_cast<Eigen::Index>(i)) = state.pass.residual.col(static_cast<Eigen::Index>(mine[i].signal)) +
                                                  state.pass.codes.value[mine[i].entry] * state.D.col(atom);
        const ThinSvd svd = thin_svd(E);
        const Vec old = state.D.col(atom);
        AtomFit(KsvdUpdate::exact, parts, 1).refit(atom, users, state.D, state.pass);
        const double sign = svd.U.col(0).dot(old) < 0.0 ? -1.0 : 1.0;
        EXPECT_LE((state.D.col(atom) - sign * svd.U.col(0)).norm(), 1e-10);
        for (std::size_t i = 0; i < mine.size(); ++i)
            EXPECT_NEAR(state.pass.codes.value[mine[i].entry],
                        sign * svd.values[0] * svd.V(static_cast<Eigen::Index>(i), 0), 1e-9);
    }
}

TEST(KsvdFit, ApproximateIsOnePowerStepWithCodesOfBothSigns) {
    CodedState state({6, 4, 50}, 2, 7);
    const SharedParts parts(50);
    const AtomUsers users(state.pass.codes, parts.own());
    const Mat X = state.codes();
    ASSERT_LT(X.row(1).minCoeff(), 0.0);
    ASSERT_GT(X.row(1).maxCoeff(), 0.0);
    const Mat E = state.Y - state.D * X + state.D.col(1) * X.row(1);
    const Vec atom = (E * X.row(1).transpose()).normalized();
    AtomFit(KsvdUpdate::approximate, parts, 1).refit(1, users, state.D, state.pass);
    EXPECT_LE((state.D.col(1) - atom).norm(), 1e-13);
    const Mat after = state.codes();
    for (Eigen::Index l = 0; l < X.cols(); ++l)
        EXPECT_NEAR(after(1, l), X(1, l) == 0.0 ? 0.0 : atom.dot(E.col(l)), 1e-12);
}

TEST(KsvdFit, LeavesEverybodyElseAlone) {
    for (const KsvdUpdate update : both_updates) {
        CodedState state({6, 9, 60}, 2, 8);
        for (std::uint32_t& atom : state.pass.codes.atom) atom = atom == 5 ? 4 : atom;
        state.pass.residual = state.Y - state.D * state.codes();
        const CodedState before = state;
        const SharedParts parts(60);
        const AtomUsers users(state.pass.codes, parts.own());
        AtomFit fit(update, parts, 1);
        fit.refit(5, users, state.D, state.pass);
        EXPECT_EQ(state.D, before.D) << "an atom that nobody uses stays";
        fit.refit(3, users, state.D, state.pass);
        const Mat X = before.codes();
        for (Eigen::Index l = 0; l < X.cols(); ++l)
            if (X(3, l) == 0.0) {
                EXPECT_EQ(state.pass.residual.col(l), before.pass.residual.col(l));
            }
        for (Eigen::Index n = 0; n < X.rows(); ++n)
            if (n != 3) {
                EXPECT_EQ(state.D.col(n), before.D.col(n));
            }
    }
}

TEST(KsvdFit, CodesThatAreAllZeroLeaveTheAtom) {
    CodedState state({6, 9, 60}, 2, 9);
    std::fill(state.pass.codes.value.begin(), state.pass.codes.value.end(), 0.0);
    state.pass.residual = state.Y;
    const SharedParts parts(60);
    const AtomUsers users(state.pass.codes, parts.own());
    const Vec old = state.D.col(3);
    AtomFit(KsvdUpdate::approximate, parts, 1).refit(3, users, state.D, state.pass);
    EXPECT_EQ(state.D.col(3), old);
    state.pass.residual.setZero();
    std::fill(state.pass.codes.value.begin(), state.pass.codes.value.end(), 0.0);
    AtomFit(KsvdUpdate::exact, parts, 1).refit(3, users, state.D, state.pass);
    EXPECT_EQ(state.D.col(3), old);
}

TEST(KsvdFit, ThreadsChangeNothing) {
    for (const KsvdUpdate update : both_updates) {
        const CodedState start({10, 3, 2100}, 2, 10);  // four parts
        CodedState one = start, three = start;
        const SharedParts parts(2100);
        const AtomUsers users(start.pass.codes, parts.own());
        for (const Eigen::Index n : {0, 1, 2}) {
            AtomFit(update, parts, 1).refit(n, users, one.D, one.pass);
            AtomFit(update, parts, 3, 0.0).refit(n, users, three.D, three.pass);
        }
        EXPECT_EQ(one.D, three.D);
        EXPECT_EQ(one.pass.codes.value, three.pass.codes.value);
        EXPECT_EQ(one.pass.residual, three.pass.residual);
    }
}

}  // namespace
}  // namespace sbdl::test
