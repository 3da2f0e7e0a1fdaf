// The first dictionary, the replacement of atoms, and the cap on the noise precision.
#include "learners/start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learners/chains/burn_in.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"
#include "support/work_kernels.hpp"

namespace sbdl::test {
namespace {

// Columns of D are near a column of Y, up to the jitter.
double cosine_to_nearest(const Vec& atom, const Mat& Y) {
    double best = 0.0;
    for (Eigen::Index l = 0; l < Y.cols(); ++l)
        if (Y.col(l).norm() > 0.0)
            best = std::max(best, std::abs(atom.dot(Y.col(l))) / (atom.norm() * Y.col(l).norm()));
    return best;
}

TEST(StartDictionary, TakesDifferentSignalsAndSkipsEmptyOnes) {
    Mat Y = Numbers(101).normals(16, 12);
    for (const Eigen::Index empty : {0, 3, 4, 7}) Y.col(empty).setZero();
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    const ThreadPass pass = pass_over(source, 2.0, 8, 1);
    const Mat D = start_dictionary(pass, 1.5, 9, 0);
    for (Eigen::Index n = 0; n < 8; ++n) {
        EXPECT_NEAR(D.col(n).norm(), 1.5, 1e-14);
        EXPECT_GT(cosine_to_nearest(D.col(n), Y), 0.999);
        for (Eigen::Index k = 0; k < n; ++k) EXPECT_LT(std::abs(D.col(k).dot(D.col(n))), 0.99 * 1.5 * 1.5);
    }
    EXPECT_NE(D, start_dictionary(pass, 1.5, 9, 1)) << "chains start alike";
    EXPECT_NE(D, start_dictionary(pass, 1.5, 10, 0)) << "seeds start alike";
}

TEST(StartDictionary, MakesUpDirectionsWhenSignalsAreTooFewOrEqual) {
    Mat Y = Mat::Zero(4, 3);
    Y.col(1) << 1.0, 2.0, 3.0, 4.0;
    Y.col(2) = Y.col(1);
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    const ThreadPass pass = pass_over(source, 1.0, 6, 1);
    const Mat D = start_dictionary(pass, 1.0, 9, 0);
    ASSERT_TRUE(D.allFinite());
    for (Eigen::Index n = 0; n < 6; ++n) {
        EXPECT_NEAR(D.col(n).norm(), 1.0, 1e-14);
        for (Eigen::Index k = 0; k < n; ++k) EXPECT_NE(D.col(k), D.col(n));
    }
}

TEST(RefreshAtoms, ReplacesTheLesserCopyAndTheUnusedByTheDensestSignals) {
    const Mat Y = Numbers(102).normals(10, 30);
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    // Densities come from the last sweep: signal 17 is the densest, then 4.
    const WorkKernels kernels([](const BlockView& view, SufficientStats&, Workspace&) {
        for (std::size_t l = 0; l < view.count; ++l) view.density[l] = l == 17 ? 9.0 : (l == 4 ? 8.0 : 1.0);
    });
    ThreadPass pass = pass_over(source, 1.0, 5, 1, kernels);
    pass.sweep(GibbsSweep{});
    Mat D = Mat::Identity(10, 5);
    Vec use(5);
    use << 1.0, 2.0, 1.0, 0.01, 1.0;
    D.col(2) = -1.001 * D.col(1);  // a copy of atom 1, which is used more
    const Mat before = D;
    const std::vector<Eigen::Index> replaced = refresh_atoms(pass, use, D);
    ASSERT_EQ(replaced, (std::vector<Eigen::Index>{2, 3}));
    for (const Eigen::Index kept : {0, 1, 4}) EXPECT_EQ(D.col(kept), before.col(kept));
    EXPECT_LE(relative_error(D.col(2).normalized(), Y.col(17).normalized()), 1e-14);
    EXPECT_LE(relative_error(D.col(3).normalized(), Y.col(4).normalized()), 1e-14);
    EXPECT_TRUE(refresh_atoms(pass, Vec::Ones(5), D).empty());
}

double height(const NoiseCap& cap) {
    return cap.limit(1e300);
}

TEST(NoiseCap, RisesSlowlyThenFastAndNeverRunsAwayFromTheNoise) {
    NoiseCap cap(4.0, 4.0, 0.02, 1000);
    EXPECT_TRUE(cap.active());
    EXPECT_EQ(height(cap), 4.0);
    EXPECT_EQ(cap.limit(1.0), 1.0);
    cap.rise(1e9);
    EXPECT_NEAR(height(cap), 4.0 * 1.02, 1e-14);
    while (height(cap) < 4.0 * 316.0) cap.rise(1e9);
    const double before = height(cap);
    cap.rise(1e9);
    EXPECT_NEAR(height(cap), before * 1.2, 1e-9);
    for (int i = 0; i < 1000; ++i) cap.rise(1000.0);
    EXPECT_LE(height(cap), before * 1.2 * 1.2 * 2.0);
    EXPECT_FALSE(NoiseCap(4.0, 4.0, 0.0, 1000).active());
    EXPECT_EQ(NoiseCap(4.0, 4.0, 0.0, 1000).limit(1e9), 1e9);
}

TEST(NoiseCap, ReachesTwentyFiveDecibelsInAShortBurnIn) {
    NoiseCap cap(1.0, 1.0, 0.01, 50);
    for (int sweep = 0; sweep < 50; ++sweep) cap.rise(1e9);
    EXPECT_GE(height(cap), 316.0 * (1.0 - 1e-9));
}

}  // namespace
}  // namespace sbdl::test
