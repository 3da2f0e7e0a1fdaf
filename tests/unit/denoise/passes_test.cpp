// The two passes over a plane: compared with direct evaluation on one patch, and independent of threads.
#include "denoise/image_passes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/linalg.hpp"
#include "denoise/opponent.hpp"
#include "denoise/patches.hpp"
#include "sbdl/encode.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

class PassTest : public testing::Test {
protected:
    PassTest() {
        test::Numbers numbers(7);
        Mat D = numbers.normals(16, 30);
        D.rowwise() -= D.colwise().mean();
        D.colwise().normalize();
        dictionary = to_rows(D);
    }

    static Matrix plane(std::size_t height, std::size_t width) {
        test::Numbers numbers(8);
        Matrix noisy(height, width);
        for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] = 50.0 + 10.0 * numbers.normal();
        return noisy;
    }

    PassSetting setting(const BatchOmp& omp, int threads = 1) const {
        PassSetting s(omp, dictionary);
        s.patch = 4;
        s.sigma = 6.0;
        s.threads = threads;
        s.with_std = true;
        return s;
    }

    Matrix dictionary;
};

TEST_F(PassTest, OfOnePatchIsThePursuitOfThatPatch) {
    const BatchOmp omp(dictionary, {});
    const Matrix noisy = plane(4, 4);
    const PassResult result = pursuit_pass(noisy, 0.5, true, setting(omp));
    std::vector<double> patch(16);
    const double mean = read_patch(noisy, 0, 0, 4, 1.0, patch.data());
    OmpOptions options;
    options.max_error = 0.5 * 6.0 * 4.0;
    const SparseCodes codes = encode(dictionary, MatrixView{patch.data(), 1, 16}, options).sparse;
    std::vector<double> expected(16, mean);
    for (std::size_t k = 0; k < codes.atom.size(); ++k)
        for (std::size_t i = 0; i < 16; ++i) expected[i] += codes.value[k] * dictionary(codes.atom[k], i);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(result.plane.data()[i], expected[i], 1e-9);
    ASSERT_EQ(result.code_sizes.size(), codes.atom.size() + 1);
    EXPECT_EQ(result.code_sizes.back(), 1);
    // Least squares on k atoms keeps k + 1 (the mean) of the 16 degrees of freedom of the noise.
    double variance = 0.0;
    for (std::size_t i = 0; i < 16; ++i) variance += result.std.data()[i] * result.std.data()[i];
    EXPECT_NEAR(variance / 36.0, static_cast<double>(codes.atom.size()) + 1.0, 1e-6);
}

TEST_F(PassTest, ThePosteriorPassIsTheGaussianPosterior) {
    const BatchOmp omp(dictionary, {});
    const Matrix noisy = plane(4, 4);
    Matrix pilot = noisy;
    for (std::size_t i = 0; i < 16; ++i) pilot.data()[i] = 0.7 * pilot.data()[i] + 10.0;
    const PassResult result = posterior_pass(noisy, pilot, 0.4, setting(omp));
    std::vector<double> z(16), p(16);
    const double mean = read_patch(noisy, 0, 0, 4, 1.0, z.data());
    const double pilot_mean = read_patch(pilot, 0, 0, 4, 1.0, p.data());
    OmpOptions options;
    options.max_error = 0.4 * 6.0 * 4.0;
    const SparseCodes codes = encode(dictionary, MatrixView{p.data(), 1, 16}, options).sparse;
    const auto count = static_cast<Eigen::Index>(codes.atom.size());
    ASSERT_GT(count, 0);
    Mat D(16, count);
    Vec precision(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        D.col(k) = Eigen::Map<const Vec>(dictionary.row(codes.atom[at]).data(), 16);
        precision[k] = 1.0 / (codes.value[at] * codes.value[at]);
    }
    const Mat covariance = (D.transpose() * D / 36.0 + Mat(precision.asDiagonal())).inverse();
    const Vec x = covariance * D.transpose() * Eigen::Map<const Vec>(z.data(), 16) / 36.0;
    const Vec pixels = D * x;
    const Mat spread = D * covariance * D.transpose();
    const double freedom = spread.trace() / 36.0;
    const double level = pilot_mean + freedom / (freedom + 0.5) * (mean - pilot_mean);
    for (Eigen::Index i = 0; i < 16; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(result.plane.data()[at], level + pixels[i], 1e-9);
        EXPECT_NEAR(result.std.data()[at], std::sqrt(spread(i, i) + 36.0 / 16.0), 1e-6);
    }
}

TEST_F(PassTest, ThreadsDoNotMatter) {
    const BatchOmp omp(dictionary, {});
    const Matrix noisy = plane(41, 23);
    const PassResult one = pursuit_pass(noisy, 1.1, true, setting(omp, 1));
    const PassResult three = pursuit_pass(noisy, 1.1, true, setting(omp, 3));
    const PassResult again = posterior_pass(noisy, one.plane, 0.2, setting(omp, 1));
    const PassResult again3 = posterior_pass(noisy, one.plane, 0.2, setting(omp, 3));
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        ASSERT_EQ(one.plane.data()[i], three.plane.data()[i]);
        ASSERT_EQ(one.std.data()[i], three.std.data()[i]);
        ASSERT_EQ(again.plane.data()[i], again3.plane.data()[i]);
        ASSERT_EQ(again.std.data()[i], again3.std.data()[i]);
    }
    EXPECT_EQ(one.code_sizes, three.code_sizes);
}

TEST(Opponent, IsARotation) {
    std::vector<Matrix> rgb(3, Matrix(2, 2));
    for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t i = 0; i < 4; ++i) rgb[p].data()[i] = static_cast<double>(p * p + 3 * i);
    const std::vector<Matrix> turned = to_opponent(rgb);
    const std::vector<Matrix> back = from_opponent(turned);
    for (std::size_t i = 0; i < 4; ++i) {
        double before = 0.0, after = 0.0;
        for (std::size_t p = 0; p < 3; ++p) {
            EXPECT_NEAR(back[p].data()[i], rgb[p].data()[i], 1e-12);
            before += rgb[p].data()[i] * rgb[p].data()[i];
            after += turned[p].data()[i] * turned[p].data()[i];
        }
        EXPECT_NEAR(before, after, 1e-9);
    }
    const std::vector<Matrix> equal = std_from_opponent(std::vector<Matrix>(3, Matrix(1, 1, 2.0)));
    for (const Matrix& plane : equal) EXPECT_NEAR(plane(0, 0), 2.0, 1e-12);
}

}  // namespace
}  // namespace sbdl
