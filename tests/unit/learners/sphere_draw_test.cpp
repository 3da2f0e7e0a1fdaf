// Draws on the unit sphere have the moments of the von Mises-Fisher law. In three dimensions they are known in closed
// form: the cosine w with the mean direction has mean coth k - 1/k and E w^2 = 1 - 2 (coth k - 1/k) / k.
//
// Rate of false alarms: |z| > 5 has probability 6e-7; 30 comparisons, below 2e-5 for an untried seed. Seeds are fixed.
#include "learners/sphere_draw.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

constexpr int many = 40000;
constexpr double most_standard_errors = 5.0;

struct Moments {
    double mean = 0.0, square = 0.0, error_of_mean = 0.0;
    Vec direction;  // mean of the draws
};

Moments cosines(const Vec& c, std::uint64_t seed) {
    DrawStream draws(seed, {.purpose = Purpose::test});
    const Vec mu = c.norm() > 0.0 ? Vec(c.normalized()) : Vec(Vec::Unit(c.size(), 0));
    Moments found{.direction = Vec::Zero(c.size())};
    for (int i = 0; i < many; ++i) {
        const Vec d = draw_von_mises_fisher(c, draws);
        EXPECT_NEAR(d.norm(), 1.0, 1e-12);
        found.mean += d.dot(mu) / many;
        found.square += std::pow(d.dot(mu), 2) / many;
        found.direction += d / many;
    }
    found.error_of_mean = std::sqrt((found.square - found.mean * found.mean) / many);
    return found;
}

TEST(SphereDraw, HasTheMomentsKnownInThreeDimensions) {
    for (const double kappa : {0.01, 0.5, 3.0, 40.0, 1e4}) {
        const Moments found = cosines(kappa * Vec(Vec::Constant(3, 1.0)).normalized(), 21);
        const double mean = 1.0 / std::tanh(kappa) - 1.0 / kappa;
        EXPECT_LT(std::abs(found.mean - mean), most_standard_errors * found.error_of_mean) << kappa;
        EXPECT_NEAR(found.square, 1.0 - 2.0 * mean / kappa, most_standard_errors * 0.4 / std::sqrt(many)) << kappa;
    }
}

// For large kappa, kappa (1 - w) is Gamma((M - 1) / 2, 1), and the rest of the draw has no direction of its own.
TEST(SphereDraw, IsGaussianAroundAStrongMean) {
    const Eigen::Index M = 20;
    const double kappa = 1e10, shape = 0.5 * static_cast<double>(M - 1);
    const Vec mu = Numbers(3).normals(M, 1).col(0).normalized();
    DrawStream draws(22, {.purpose = Purpose::test});
    double sum = 0.0, square = 0.0;
    Vec across = Vec::Zero(M);
    for (int i = 0; i < many; ++i) {
        const Vec difference = draw_von_mises_fisher(kappa * mu, draws) - mu;
        const double t = 0.5 * kappa * difference.squaredNorm();  // kappa (1 - w), without cancellation
        sum += t / many;
        square += t * t / many;
        across += difference * std::sqrt(kappa);
    }
    EXPECT_NEAR(sum, shape, most_standard_errors * std::sqrt(shape / many));
    EXPECT_NEAR(square - sum * sum, shape, most_standard_errors * shape * std::sqrt(2.0 * (1.0 + 3.0 / shape) / many));
    EXPECT_LT((across / std::sqrt(many)).cwiseAbs().maxCoeff(), most_standard_errors);
}

TEST(SphereDraw, IsUniformWithoutConcentration) {
    const Moments found = cosines(Vec::Zero(5), 23);
    EXPECT_NEAR(found.square, 0.2, most_standard_errors * 0.2 / std::sqrt(many));
    EXPECT_LT(found.direction.cwiseAbs().maxCoeff(), most_standard_errors * std::sqrt(0.2 / many));
}

TEST(SphereDraw, InOneDimensionIsASign) {
    const Moments found = cosines(Vec::Constant(1, -0.7), 24);
    EXPECT_LT(std::abs(found.mean - std::tanh(0.7)), most_standard_errors * found.error_of_mean);
}

// The mean direction of each atom is what the others leave of Y X^T.
TEST(SphereDraw, AtomsFollowTheStatistics) {
    Numbers numbers(5);
    const Mat D = numbers.normals(6, 4).colwise().normalized();
    const Mat X = numbers.normals(4, 50);
    SufficientStats stats(6, 4);
    stats.y_xt = D * X * X.transpose();
    stats.x_xt = X * X.transpose();
    Mat drawn = D;
    DrawStream draws(25, {.purpose = Purpose::test});
    draw_atoms_on_sphere(stats, 1e12, draws, drawn);  // so much data that the atoms are known
    EXPECT_LT((drawn - D).cwiseAbs().maxCoeff(), 1e-5);
    draw_atoms_on_sphere(stats, 1.0, draws, drawn);
    EXPECT_GT((drawn - D).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((drawn.colwise().norm().array() - 1.0).abs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace sbdl::test
