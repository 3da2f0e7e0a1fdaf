// The products of a library without BLAS against those of BLAS, on parts of larger matrices.
#include "base/eigen_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/blas.hpp"
#include "base/linalg.hpp"

namespace sbdl {
namespace {

constexpr int m = 5, n = 7, k = 4, step = 9;  // columns are 9 apart
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What both have made of C, with the same NaN where `beta` is 0.
void expect_equal(const Mat& eigen, const Mat& blas) {
    for (Eigen::Index i = 0; i < eigen.size(); ++i) {
        if (std::isnan(eigen(i)) && std::isnan(blas(i))) continue;
        EXPECT_NEAR(eigen(i), blas(i), 1e-13);
    }
}

TEST(EigenProducts, MultiplyAsBlasDoes) {
    std::srand(1);
    const Mat A = Mat::Random(step, step), B = Mat::Random(step, step);
    for (const char* turn_a : {"N", "T"})
        for (const char* turn_b : *turn_a == 'N' ? std::vector{"N", "T"} : std::vector{"N"})
            for (const double beta : {0.0, 0.5, 1.0}) {
                const double alpha = 1.5;
                Mat eigen = Mat::Random(step, step);
                if (beta == 0.0) eigen.setConstant(nan);
                Mat blas = eigen;
                eigen_products::dgemm_(turn_a, turn_b, &m, &n, &k, &alpha, A.data(), &step, B.data(), &step, &beta,
                                       eigen.data(), &step);
                dgemm_(turn_a, turn_b, &m, &n, &k, &alpha, A.data(), &step, B.data(), &step, &beta, blas.data(), &step);
                expect_equal(eigen, blas);
                EXPECT_TRUE(eigen.topLeftCorner(m, n).allFinite());
            }
}

TEST(EigenProducts, MultiplyVectorsAsBlasDoes) {
    std::srand(2);
    const Mat A = Mat::Random(step, n), x = Mat::Random(n, 1);
    const double alpha = 1.5, beta = 0.5;
    const int one = 1;
    for (const char* turn : {"N", "T"}) {
        Mat eigen = Mat::Random(n, 1), blas = eigen;
        eigen_products::dgemv_(turn, &m, &n, &alpha, A.data(), &step, x.data(), &one, &beta, eigen.data(), &one);
        dgemv_(turn, &m, &n, &alpha, A.data(), &step, x.data(), &one, &beta, blas.data(), &one);
        expect_equal(eigen, blas);
    }
}

TEST(EigenProducts, GramMatricesAreThoseOfBlasInTheLowerHalf) {
    std::srand(3);
    const Mat A = Mat::Random(step, n);
    for (const double beta : {0.0, 0.5, 1.0}) {
        const double alpha = 1.5;
        Mat eigen = Mat::Random(step, step), blas = eigen;
        eigen_products::dsyrk_("L", "T", &n, &k, &alpha, A.data(), &step, &beta, eigen.data(), &step);
        dsyrk_("L", "T", &n, &k, &alpha, A.data(), &step, &beta, blas.data(), &step);
        expect_equal(eigen, blas);
    }
}

TEST(EigenProducts, TrianglesAreSolvedAsByBlas) {
    std::srand(4);
    const Mat L = Mat::Random(step, step) + 4.0 * Mat::Identity(step, step);
    const double alpha = 1.0;
    for (const char* turn : {"N", "T"}) {
        Mat eigen = Mat::Random(step, n), blas = eigen;
        eigen_products::dtrsm_("L", "L", turn, "N", &m, &n, &alpha, L.data(), &step, eigen.data(), &step);
        dtrsm_("L", "L", turn, "N", &m, &n, &alpha, L.data(), &step, blas.data(), &step);
        expect_equal(eigen, blas);
    }
}

TEST(EigenProducts, SinglePrecision) {
    std::srand(5);
    const Eigen::MatrixXf A = Eigen::MatrixXf::Random(step, step), B = Eigen::MatrixXf::Random(step, step);
    const float one = 1.0F, zero = 0.0F;
    Eigen::MatrixXf product = Eigen::MatrixXf::Zero(step, step), gram = product;
    eigen_products::sgemm_("N", "N", &m, &n, &k, &one, A.data(), &step, B.data(), &step, &zero, product.data(), &step);
    eigen_products::ssyrk_("L", "T", &n, &k, &one, A.data(), &step, &zero, gram.data(), &step);
    Eigen::MatrixXf product_blas = Eigen::MatrixXf::Zero(step, step), gram_blas = product_blas;
    sgemm_("N", "N", &m, &n, &k, &one, A.data(), &step, B.data(), &step, &zero, product_blas.data(), &step);
    ssyrk_("L", "T", &n, &k, &one, A.data(), &step, &zero, gram_blas.data(), &step);
    EXPECT_LE((product - product_blas).norm(), 1e-5F);
    EXPECT_LE((gram - gram_blas).norm(), 1e-5F);
}

}  // namespace
}  // namespace sbdl
