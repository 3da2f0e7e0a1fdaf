// The pass with a dictionary, which --model makes, against the Gaussian conditional that it stands for.
#include "inpaint/dictionary_fill.hpp"

#include <gtest/gtest.h>

#include "base/linalg.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl {
namespace {

constexpr Eigen::Index pixels = 16;  // of a patch, and of each plane of an image that is a single patch

/// Atoms of unit norm whose planes have mean zero, as columns.
Mat atoms_without_mean(std::size_t planes, Eigen::Index count, test::Numbers& numbers) {
    Mat atoms = numbers.normals(static_cast<Eigen::Index>(planes) * pixels, count);
    for (Eigen::Index p = 0; p < static_cast<Eigen::Index>(planes); ++p)
        for (Eigen::Index n = 0; n < count; ++n) {
            auto part = atoms.col(n).segment(p * pixels, pixels);
            part.array() -= part.mean();
        }
    return unit_columns(atoms);
}

// x = A u + v, where A has the atoms of the patch's code times their coefficients and a column for the mean of each
// plane; y = x + noise. Mean and variance of x given the observed y, by the formula for any Gaussian.
TEST(DictionaryFill, IsTheConditionalOfTheModelOfAPatch) {
    for (const std::size_t planes : {1U, 3U})
        for (const double sigma : {0.0, 0.7}) {
            SCOPED_TRACE(::testing::Message() << planes << " planes, noise " << sigma);
            test::Numbers numbers(91);
            const auto dim = static_cast<Eigen::Index>(planes) * pixels;
            const Mat D = atoms_without_mean(planes, 6, numbers);
            Vec code = Vec::Zero(6);
            code << 9.0, 0.0, 0.0, -5.0, 0.0, 0.0;
            const Vec level = Vec::Constant(dim, 3.0);
            const Vec before = level + D * code;  // the estimate so far, whose code is known
            const Vec sample = before + numbers.normals(dim, 1);
            std::vector<Matrix> samples, estimate, variance;
            std::vector<Observed> observed;
            std::vector<Eigen::Index> seen;
            for (std::size_t p = 0; p < planes; ++p) {
                samples.emplace_back(4, 4);
                estimate.emplace_back(4, 4);
                variance.emplace_back(4, 4);
                observed.emplace_back(16);
                for (std::size_t i = 0; i < 16; ++i) {
                    const auto m = static_cast<Eigen::Index>(p * 16 + i);
                    samples[p].data()[i] = sample[m];
                    estimate[p].data()[i] = before[m];
                    observed[p][i] = numbers.uniform() < 0.4 ? 1 : 0;
                    if (observed[p][i] != 0) seen.push_back(m);
                }
            }
            ASSERT_GT(seen.size(), 3U);
            FillState state{samples, observed, sigma, estimate, variance};
            const Matrix dictionary = to_rows(D);
            constexpr double left = 0.5;
            dictionary_fill(state, {.dictionary = dictionary, .patch = 4, .error = 1e-6, .left = left});

            Mat A = Mat::Zero(dim, static_cast<Eigen::Index>(planes) + 2);
            for (Eigen::Index p = 0; p < static_cast<Eigen::Index>(planes); ++p)
                A.col(p).segment(p * pixels, pixels).setConstant(3.0 * left);
            A.col(A.cols() - 2) = 9.0 * D.col(0);
            A.col(A.cols() - 1) = -5.0 * D.col(3);
            const Mat C = A * A.transpose() + left * left * Mat::Identity(dim, dim);
            const Mat across = C(Eigen::all, seen);
            const Mat inside =
                test::inverse(Mat(C(seen, seen)) + sigma * sigma * Mat::Identity(across.cols(), across.cols()));
            const Vec mean = level + across * inside * (sample - level)(seen);
            const Vec var = (C - across * inside * across.transpose()).diagonal();
            for (std::size_t p = 0; p < planes; ++p)
                for (std::size_t i = 0; i < 16; ++i) {
                    const auto m = static_cast<Eigen::Index>(p * 16 + i);
                    EXPECT_NEAR(state.estimate[p].data()[i], mean[m], 1e-8);
                    EXPECT_NEAR(state.variance[p].data()[i], var[m], 1e-8);
                }
        }
}

}  // namespace
}  // namespace sbdl
