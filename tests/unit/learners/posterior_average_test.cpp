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
    const Mat estimate = unit_columns(start + 0.02 * numbers.normals(M, N));
    const Mat distance = (spread + (mean - estimate).cwiseAbs2()).cwiseSqrt();
    EXPECT_LE(relative_error(average.rms_distance(estimate), distance), 1e-11);
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
    EXPECT_EQ(average.atom_std().size(), 0);
    EXPECT_EQ(average.rms_distance(D).size(), 0);
    EXPECT_TRUE(std::isnan(average.noise_sd_std()));
}

// Two chains with atoms in another order and of other signs, merged, are one chain with all the draws.
TEST(PosteriorAverage, MergedChainsAreOneChain) {
    constexpr Eigen::Index M = 6, N = 3;
    Numbers numbers(92);
    const Mat start = numbers.normals(M, N);
    const AtomPairs pairs{.partner = {2, 0, 1}, .sign = Vec{{-1.0, 1.0, -1.0}}, .cosine = Vec::Ones(N)};
    Mat other_start(M, N);  // atom n of the first chain is sign n times atom partner n of the second
    for (Eigen::Index n = 0; n < N; ++n)
        other_start.col(pairs.partner[static_cast<std::size_t>(n)]) =
            pairs.sign[n] * (start.col(n) + 0.1 * numbers.normals(M, 1));
    PosteriorAverage together(start), one(start), other(other_start);
    for (int i = 0; i < 30; ++i) {
        const Mat D = start + 0.05 * numbers.normals(M, N);
        const Vec energy = numbers.spread(N, 1, -1.0, 1.0);
        const double noise = 0.1 + 0.01 * numbers.normal();
        together.add(D, energy, 10.0, noise);
        if (i < 12) {
            one.add(D, energy, 10.0, noise);
            continue;
        }
        Mat shuffled(M, N);
        Vec shuffled_energy(N);
        for (Eigen::Index n = 0; n < N; ++n) {
            shuffled.col(pairs.partner[static_cast<std::size_t>(n)]) = pairs.sign[n] * D.col(n);
            shuffled_energy[pairs.partner[static_cast<std::size_t>(n)]] = energy[n];
        }
        other.add(shuffled, shuffled_energy, 10.0, noise);
    }
    one.merge(other, pairs);
    EXPECT_EQ(one.count(), 30);
    EXPECT_LE(relative_error(one.mean_atoms(), together.mean_atoms()), 1e-13);
    EXPECT_LE(relative_error(one.atom_std(), together.atom_std()), 1e-11);
    EXPECT_LE(relative_error(one.mean_norm(), together.mean_norm()), 1e-13);
    EXPECT_LE(relative_error(one.usage(), together.usage()), 1e-13);
    EXPECT_LE(relative_error(one.noise_sd(), together.noise_sd()), 1e-13);
    EXPECT_LE(relative_error(one.noise_sd_std(), together.noise_sd_std()), 1e-10);
}

// An atom that the other chain does not have keeps its own draws, to the last bit.
TEST(PosteriorAverage, AnAtomWithoutAPartnerIsLeftAsItIs) {
    Numbers numbers(95);
    const Mat start = numbers.normals(4, 2);
    PosteriorAverage one(start), other(start);
    for (int i = 0; i < 5; ++i) {
        one.add(start + 0.1 * numbers.normals(4, 2), Vec{{1.0, 2.0}}, 10.0, 0.1);
        other.add(start + 0.1 * numbers.normals(4, 2), Vec{{3.0, 4.0}}, 10.0, 0.2);
    }
    const PosteriorAverage before = one;
    one.merge(other, {.partner = {0, -1}, .sign = Vec::Ones(2), .cosine = Vec::Ones(2)});
    EXPECT_EQ(one.draws(), (Vec{{10.0, 5.0}}));
    EXPECT_EQ(one.mean_atoms().col(1), before.mean_atoms().col(1));
    EXPECT_EQ(one.atom_std().col(1), before.atom_std().col(1));
    EXPECT_EQ(one.usage()[1], before.usage()[1]);
    EXPECT_EQ(one.mean_norm()[1], before.mean_norm()[1]);
    EXPECT_NE(one.mean_atoms().col(0), before.mean_atoms().col(0));
    EXPECT_NEAR(one.noise_sd(), 0.15, 1e-15) << "the noise is that of all draws";
}

}  // namespace
}  // namespace sbdl::test
