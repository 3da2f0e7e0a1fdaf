// The functions of BLAS that the library calls, by Eigen, for a library without BLAS (SBDL_BLAS=OFF). They have the
// names and arguments of BLAS, so that callers do not differ, and a namespace, so that they never meet those of a BLAS
// that the program is linked with. Only what is called is there: gemm with at most one matrix transposed, in single
// precision none; gemv with steps of 1; the lower triangle of syrk with `trans` "T"; trsm with a lower triangle on the
// left.
#pragma once

namespace sbdl::eigen_products {

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha, const float* a,
            const int* lda, const float* beta, float* c, const int* ldc);

}  // namespace sbdl::eigen_products
