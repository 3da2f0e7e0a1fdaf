#include "learners/chains/posterior_average.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

// Draws around one dictionary with random signs and norms. These are not determined by the model, and must not blur the
// mean.
TEST(PosteriorAverage, TurnsSignsAndNormsBeforeItAverages) {
    constexpr Eigen::Index M = 5, N = 4;
    constexpr int draws = 40;
    constexpr double signals = 10.0;
    Numbers numbers(91);
    const Mat start = numbers.normals(M, N);
    PosteriorAverage average(start);
    std::vector<Mat> unit_atoms;
    Vec norm_sum = Vec::Zero(N), usage_sq = Vec::Zero(N);
    std::vector<double> noise;
    for (int i = 0; i < draws; ++i) {
        Mat unit = unit_columns(start + 0.05 * numbers.normals(M, N));
        unit_atoms.push_back(unit);
        Vec factor(N);
        for (double& value : factor) value = (numbers.uniform() < 0.5 ? -1.0 : 1.0) * (0.5 + numbers.uniform());
        const Mat D = unit * factor.asDiagonal();
        const Vec energy = numbers.spread(N, 1, -1.0, 1.0);
        noise.push_back(0.1 + 0.01 * numbers.normal());
        const Vec turned = average.signed_norm(D);
        EXPECT_LE(relative_error(turned, factor), 1e-14);
        average.add(D, energy, signals, noise.back());
        norm_sum += factor.cwiseAbs();
        usage_sq += energy.cwiseProduct(factor.cwiseAbs2()) / signals;
    }
    Mat mean = Mat::Zero(M, N), spread = Mat::Zero(M, N);
    for (const Mat& unit : unit_atoms) mean += unit / draws;
    for (const Mat& unit : unit_atoms) spread += (unit - mean).cwiseAbs2() / (draws - 1);
    EXPECT_EQ(average.count(), draws);
    EXPECT_LE(relative_error(average.mean_atoms(), unit_columns(mean)), 1e-13);
    EXPECT_LE(relative_error(average.atom_std(), spread.cwiseSqrt()), 1e-11);
    EXPECT_LE(relative_error(average.mean_norm(), norm_sum / draws), 1e-13);
    EXPECT_LE(relative_error(average.usage(), (usage_sq / draws).cwiseSqrt()), 1e-13);
    double sum = 0.0, squares = 0.0;
    for (const double sd : noise) sum += sd;
    for (const double sd : noise) squares += (sd - sum / draws) * (sd - sum / draws);
    EXPECT_LE(relative_error(average.noise_sd(), sum / draws), 1e-13);
    EXPECT_LE(relative_error(average.noise_sd_std(), std::sqrt(squares / (draws - 1))), 1e-10);
}

TEST(PosteriorAverage, OneDrawHasNoSpreadAndAZeroAtomStaysZero) {
    Mat D = Mat::Zero(3, 2);
    D.col(0) << 3.0, 0.0, 4.0;
    PosteriorAverage average(D);
    average.add(D, Vec::Ones(2), 1.0, 0.5);
    EXPECT_TRUE(average.mean_atoms().allFinite());
    EXPECT_NEAR(average.mean_atoms().col(0).norm(), 1.0, 1e-15);
    EXPECT_EQ(average.mean_atoms().col(1).norm(), 0.0);
    EXPECT_EQ(average.atom_std().norm(), 0.0);
    EXPECT_EQ(average.noise_sd_std(), 0.0);
}

}  // namespace
}  // namespace sbdl::test
