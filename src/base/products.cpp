#include "base/products.hpp"

#include <algorithm>
#include <cmath>

#include "base/blas.hpp"

namespace sbdl {
namespace {

/// BLAS requires a step between columns of at least 1, even if there are no columns.
int step_of(Eigen::Index outer_stride) {
    return static_cast<int>(std::max<Eigen::Index>(outer_stride, 1));
}

void product(const char* turn_a, const char* turn_b, Eigen::Index depth, const ConstBlock& A, const ConstBlock& B,
             Block& C, double scale, double keep) {
    if (C.size() == 0) return;
    const int m = static_cast<int>(C.rows());
    const int n = static_cast<int>(C.cols());
    const int k = static_cast<int>(depth);
    const int lda = step_of(A.outerStride());
    const int ldb = step_of(B.outerStride());
    const int ldc = step_of(C.outerStride());
    dgemm_(turn_a, turn_b, &m, &n, &k, &scale, A.data(), &lda, B.data(), &ldb, &keep, C.data(), &ldc);
}

void triangular_solve(const char* turn, const ConstBlock& L, Block& B) {
    if (B.size() == 0) return;
    const int m = static_cast<int>(B.rows()), n = static_cast<int>(B.cols());
    const int ldl = step_of(L.outerStride()), ldb = step_of(B.outerStride());
    const double one = 1.0;
    dtrsm_("L", "L", turn, "N", &m, &n, &one, L.data(), &ldl, B.data(), &ldb);
}

}  // namespace

void multiply(const ConstBlock& A, const ConstBlock& B, Block C, double scale, double keep) {
    product("N", "N", A.cols(), A, B, C, scale, keep);
}

void multiply_transposed(const ConstBlock& A, const ConstBlock& B, Block C, double scale, double keep) {
    // For one column dgemm would copy A first, which takes longer than the product itself.
    if (C.cols() == 1 && C.rows() > 0 && A.rows() > 0) {
        const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
        const int lda = step_of(A.outerStride()), one = 1;
        if (keep == 0.0) C.setZero();  // some dgemv let a NaN in C survive a factor of 0
        dgemv_("T", &m, &n, &scale, A.data(), &lda, B.data(), &one, &keep, C.data(), &one);
        return;
    }
    product("T", "N", A.rows(), A, B, C, scale, keep);
}

void multiply_by_transposed(const ConstBlock& A, const ConstBlock& B, Block C, double scale, double keep) {
    product("N", "T", A.cols(), A, B, C, scale, keep);
}

void factor_lower(Block A) {
    const Eigen::Index size = A.rows();
    for (Eigen::Index k = 0; k < size; ++k) {
        const Eigen::Index below = size - k - 1;
        const double pivot = std::sqrt(std::max(A(k, k), 1.0));
        A(k, k) = pivot;
        auto column = A.col(k).tail(below);
        column /= pivot;
        for (Eigen::Index j = 0; j < below; ++j) A.col(k + 1 + j).tail(below - j) -= column[j] * column.tail(below - j);
    }
}

void solve_lower(const ConstBlock& L, Block B) {
    triangular_solve("N", L, B);
}

void solve_lower_transposed(const ConstBlock& L, Block B) {
    triangular_solve("T", L, B);
}

}  // namespace sbdl
