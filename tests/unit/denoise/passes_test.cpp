// The two passes over a plane: compared with direct evaluation patch by patch, and independent of threads.
#include "denoise/image_passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/linalg.hpp"
#include "denoise/opponent.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "sbdl/encode.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/sparse_checks.hpp"

namespace sbdl {
namespace {

constexpr std::size_t patch_side = 4, patch_dim = 16;
constexpr double plane_sigma = 6.0;

class PassTest : public testing::Test {
protected:
    PassTest() {
        test::Numbers numbers(7);
        Mat D = numbers.normals(patch_dim, 30);
        D.rowwise() -= D.colwise().mean();
        D.colwise().normalize();
        dictionary = to_rows(D);
    }

    static Plane plane(std::size_t height, std::size_t width) {
        test::Numbers numbers(8);
        Matrix noisy(height, width);
        for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] = 50.0 + 10.0 * numbers.normal();
        return Plane(noisy);
    }

    PassSetting setting(const BatchOmp& omp, int threads = 1) const {
        PassSetting s(omp, dictionary);
        s.patch = patch_side;
        s.sigma = plane_sigma;
        s.threads = threads;
        s.with_std = true;
        return s;
    }

    Matrix dictionary;
};

/// What a pass makes of one patch, written down directly: its pixels, their variances, its weight.
struct DirectEstimate {
    Vec pixels, variances;
    double weight = 1.0;
    std::size_t atoms = 0;
};

/// A patch without its mean, the mean, and its code to a residual of tolerance * sigma.
struct DirectPatch {
    DirectPatch(const Matrix& dictionary, const Plane& plane, std::size_t row, std::size_t col, double tolerance)
        : values(patch_dim) {
        mean = read_patch(plane, row, col, patch_side, 1.0, values.data());
        OmpOptions options;
        options.max_error = tolerance * plane_sigma * patch_side;
        code = encode(dictionary, MatrixView{values.data(), 1, patch_dim}, options).sparse;
        atoms.resize(patch_dim, static_cast<Eigen::Index>(code.atom.size()));
        for (std::size_t k = 0; k < code.atom.size(); ++k)
            atoms.col(static_cast<Eigen::Index>(k)) =
                Eigen::Map<const Vec>(dictionary.row(code.atom[k]).data(), patch_dim);
        coefficients = Eigen::Map<const Vec>(code.value.data(), atoms.cols());
    }
    Vec values, coefficients;
    double mean = 0.0;
    SparseCodes code;
    Mat atoms;
};

/// Least squares on k atoms keeps the projection onto them, and the mean, of the noise; weight 1 / (1 + k).
DirectEstimate direct_pursuit(const Matrix& dictionary, const Plane& noisy, std::size_t row, std::size_t col,
                              double tolerance) {
    const DirectPatch z(dictionary, noisy, row, col, tolerance);
    const Mat& D = z.atoms;
    const Mat gram = D.transpose() * D;
    const Mat projection = D * test::inverse(gram) * D.transpose();
    return {(D * z.coefficients).array() + z.mean,
            plane_sigma * plane_sigma * (projection.diagonal().array() + 1.0 / patch_dim),
            1.0 / (1.0 + static_cast<double>(D.cols())), z.code.atom.size()};
}

/// The Gaussian posterior with precisions from the pilot's code (docs/math.md, P4).
DirectEstimate direct_posterior(const Matrix& dictionary, const Plane& noisy, const Plane& pilot, std::size_t row,
                                std::size_t col, double tolerance) {
    const double noise = plane_sigma * plane_sigma;
    const DirectPatch p(dictionary, pilot, row, col, tolerance);
    Vec z(patch_dim);
    const double mean = read_patch(noisy, row, col, patch_side, 1.0, z.data());
    const Mat& D = p.atoms;
    const Mat precision = p.coefficients.cwiseAbs2().cwiseInverse().asDiagonal();
    const Mat covariance = test::inverse(D.transpose() * D / noise + precision);
    const Mat spread = D * covariance * D.transpose();
    const double freedom = spread.trace() / noise;
    const double level = p.mean + freedom / (freedom + 0.5) * (mean - p.mean);
    return {(spread * z / noise).array() + level, spread.diagonal().array() + noise / patch_dim, 1.0 / (1.0 + freedom),
            p.code.atom.size()};
}

/// The mixture of the patches over each pixel (P5).
template <class EstimateOf>
void expect_weighted_average(const PassResult& result, const EstimateOf& estimate_of) {
    const std::size_t height = result.plane.rows(), width = result.plane.cols();
    Matrix weight(height, width), mean(height, width), square(height, width);
    double least = 1.0, most = 0.0;
    for (std::size_t row = 0; row + patch_side <= height; ++row)
        for (std::size_t col = 0; col + patch_side <= width; ++col) {
            const DirectEstimate patch = estimate_of(row, col);
            least = std::min(least, patch.weight);
            most = std::max(most, patch.weight);
            for (std::size_t i = 0; i < patch_dim; ++i) {
                const auto at = static_cast<Eigen::Index>(i);
                const std::size_t y = row + i / patch_side, x = col + i % patch_side;
                weight(y, x) += patch.weight;
                mean(y, x) += patch.weight * patch.pixels[at];
                square(y, x) += patch.weight * (patch.variances[at] + patch.pixels[at] * patch.pixels[at]);
            }
        }
    if (height * width > patch_dim) {
        EXPECT_GT(most, 1.2 * least) << "weights that show";
    }
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const double pixel = mean.data()[i] / weight.data()[i];
        EXPECT_NEAR(result.plane[i], pixel, 1e-5);  // single precision of values around 50
        EXPECT_NEAR(result.std[i], std::sqrt(square.data()[i] / weight.data()[i] - pixel * pixel), 1e-5);
    }
}

constexpr std::array<std::array<std::size_t, 2>, 2> one_patch_and_many{{{4, 4}, {9, 7}}};

TEST_F(PassTest, ThePursuitPassIsTheWeightedAverageOfThePursuits) {
    const BatchOmp omp(dictionary, {});
    for (const auto [height, width] : one_patch_and_many) {
        const Plane noisy = plane(height, width);
        const PassResult result = pursuit_pass(noisy, 1.0, true, setting(omp));
        std::vector<int> sizes(17);
        expect_weighted_average(result, [&](std::size_t row, std::size_t col) {
            const DirectEstimate patch = direct_pursuit(dictionary, noisy, row, col, 1.0);
            ++sizes[patch.atoms];
            return patch;
        });
        sizes.resize(result.code_sizes.size());
        EXPECT_EQ(result.code_sizes, sizes);
        EXPECT_GT(sizes.back(), 0);
    }
}

TEST_F(PassTest, ThePosteriorPassIsTheWeightedAverageOfThePosteriors) {
    const BatchOmp omp(dictionary, {});
    for (const auto [height, width] : one_patch_and_many) {
        const Plane noisy = plane(height, width);
        Plane pilot = noisy;
        for (std::size_t i = 0; i < pilot.size(); ++i) pilot.set(i, 0.7 * pilot[i] + 10.0);
        expect_weighted_average(posterior_pass(noisy, pilot, 0.4, setting(omp)), [&](std::size_t row, std::size_t col) {
            return direct_posterior(dictionary, noisy, pilot, row, col, 0.4);
        });
    }
}

// Higher than two strips, whose sums are finished one after the other.
TEST_F(PassTest, StripsDoNotShow) {
    const BatchOmp omp(dictionary, {});
    const Plane noisy = plane(2 * strip_rows + 60, 6);
    const PassResult one = pursuit_pass(noisy, 1.0, true, setting(omp, 1));
    expect_weighted_average(
        one, [&](std::size_t row, std::size_t col) { return direct_pursuit(dictionary, noisy, row, col, 1.0); });
    const PassResult three = pursuit_pass(noisy, 1.0, true, setting(omp, 3));
    EXPECT_TRUE(test::same_entries(three.plane.matrix(), one.plane.matrix()));
    EXPECT_TRUE(test::same_entries(three.std.matrix(), one.std.matrix()));
}

TEST_F(PassTest, ThreadsDoNotMatter) {
    const BatchOmp omp(dictionary, {});
    const Plane noisy = plane(41, 23);
    const PassResult one = pursuit_pass(noisy, 1.1, true, setting(omp, 1));
    const PassResult three = pursuit_pass(noisy, 1.1, true, setting(omp, 3));
    const PassResult again = posterior_pass(noisy, one.plane, 0.2, setting(omp, 1));
    const PassResult again3 = posterior_pass(noisy, one.plane, 0.2, setting(omp, 3));
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        ASSERT_EQ(one.plane[i], three.plane[i]);
        ASSERT_EQ(one.std[i], three.std[i]);
        ASSERT_EQ(again.plane[i], again3.plane[i]);
        ASSERT_EQ(again.std[i], again3.std[i]);
    }
    EXPECT_EQ(one.code_sizes, three.code_sizes);
}

TEST(Opponent, IsARotation) {
    std::vector<Matrix> rgb(3, Matrix(2, 2));
    for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t i = 0; i < 4; ++i) rgb[p].data()[i] = static_cast<double>(p * p + 3 * i);
    const std::vector<Matrix> turned = to_opponent(rgb);
    const std::vector<Matrix> back = from_opponent(std::vector<Plane>(turned.begin(), turned.end()));
    for (std::size_t i = 0; i < 4; ++i) {
        double before = 0.0, after = 0.0;
        for (std::size_t p = 0; p < 3; ++p) {
            EXPECT_NEAR(back[p].data()[i], rgb[p].data()[i], 1e-5);
            before += rgb[p].data()[i] * rgb[p].data()[i];
            after += turned[p].data()[i] * turned[p].data()[i];
        }
        EXPECT_NEAR(before, after, 1e-9);
    }
    const std::vector<Matrix> equal = std_from_opponent(std::vector<Plane>(3, Plane(Matrix(1, 1, 2.0))));
    for (const Matrix& plane : equal) EXPECT_NEAR(plane(0, 0), 2.0, 1e-12);
}

// Neither these patches nor their noise are touched.
TEST_F(PassTest, AllOfTheNoiseIsLeftWhereAShortCodeDoesNotExplainAPatch) {
    OmpOptions options;
    options.max_nonzeros = 1;
    const BatchOmp omp(dictionary, options);
    PassSetting short_codes = setting(omp);
    short_codes.short_codes = true;
    short_codes.sigma = 0.5;
    const Plane noisy = plane(12, 14);
    const PassResult result = pursuit_pass(noisy, 1.0, false, short_codes);
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        EXPECT_NEAR(result.plane[i], noisy[i], 1e-4);
        EXPECT_NEAR(result.std[i], 0.5, 1e-3);
    }
}

}  // namespace
}  // namespace sbdl
