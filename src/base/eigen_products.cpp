#include "base/eigen_products.hpp"

#include <Eigen/Dense>

namespace sbdl::eigen_products {
namespace {

template <class Real>
using Columns = Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;
template <class Real>
using ConstColumns = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;

bool turned(const char* trans) {
    return *trans == 'T';
}

/// C *= beta, where a factor of 0 also removes NaN, as in BLAS.
template <class Real, class Part>
void scale(Part&& part, Real beta) {
    if (beta == Real(0))
        part.setZero();
    else if (beta != Real(1))
        part *= beta;
}

void multiply(bool turn_a, bool turn_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
              int ldb, double beta, double* c, int ldc) {
    const ConstColumns<double> A(a, turn_a ? k : m, turn_a ? m : k, Eigen::OuterStride<>(lda));
    const ConstColumns<double> B(b, turn_b ? n : k, turn_b ? k : n, Eigen::OuterStride<>(ldb));
    Columns<double> C(c, m, n, Eigen::OuterStride<>(ldc));
    scale(C, beta);
    if (turn_a)
        C.noalias() += alpha * A.transpose() * B;
    else if (turn_b)
        C.noalias() += alpha * A * B.transpose();
    else
        C.noalias() += alpha * A * B;
}

template <class Real>
void add_gram(int n, int k, Real alpha, const Real* a, int lda, Real beta, Real* c, int ldc) {
    const ConstColumns<Real> A(a, k, n, Eigen::OuterStride<>(lda));
    Columns<Real> C(c, n, n, Eigen::OuterStride<>(ldc));
    scale(C.template triangularView<Eigen::Lower>(), beta);
    C.template selfadjointView<Eigen::Lower>().rankUpdate(A.transpose(), alpha);
}

}  // namespace

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc) {
    multiply(turned(transa), turned(transb), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* /*incx*/, const double* beta, double* y, const int* /*incy*/) {
    const int length = turned(trans) ? *n : *m, depth = turned(trans) ? *m : *n;
    multiply(turned(trans), false, length, 1, depth, *alpha, a, *lda, x, depth, *beta, y, length);
}

void dsyrk_(const char* /*uplo*/, const char* /*trans*/, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc) {
    add_gram(*n, *k, *alpha, a, *lda, *beta, c, *ldc);
}

void dtrsm_(const char* /*side*/, const char* /*uplo*/, const char* transa, const char* /*diag*/, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b, const int* ldb) {
    const ConstColumns<double> A(a, *m, *m, Eigen::OuterStride<>(*lda));
    Columns<double> B(b, *m, *n, Eigen::OuterStride<>(*ldb));
    scale(B, *alpha);
    if (turned(transa))
        A.triangularView<Eigen::Lower>().transpose().solveInPlace(B);
    else
        A.triangularView<Eigen::Lower>().solveInPlace(B);
}

void sgemm_(const char* /*transa*/, const char* /*transb*/, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
            float* c, const int* ldc) {
    const ConstColumns<float> A(a, *m, *k, Eigen::OuterStride<>(*lda)), B(b, *k, *n, Eigen::OuterStride<>(*ldb));
    Columns<float> C(c, *m, *n, Eigen::OuterStride<>(*ldc));
    scale(C, *beta);
    C.noalias() += *alpha * A * B;
}

void ssyrk_(const char* /*uplo*/, const char* /*trans*/, const int* n, const int* k, const float* alpha, const float* a,
            const int* lda, const float* beta, float* c, const int* ldc) {
    add_gram(*n, *k, *alpha, a, *lda, *beta, c, *ldc);
}

}  // namespace sbdl::eigen_products
