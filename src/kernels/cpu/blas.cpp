#include "kernels/cpu/blas.hpp"

#include "base/blas.hpp"

namespace sbdl {

void add_row_products(const double* rows, std::size_t step, std::size_t depth, double scale, Mat& g) {
    const int n = static_cast<int>(g.rows());
    const int k = static_cast<int>(depth);
    const int lda = static_cast<int>(step);
    const double one = 1.0;
    dsyrk_("L", "T", &n, &k, &scale, rows, &lda, &one, g.data(), &n);
}

void add_code_products(const double* y, const double* x, std::size_t signals, SufficientStats& stats) {
    const int M = static_cast<int>(stats.y_xt.rows());
    const int N = static_cast<int>(stats.y_xt.cols());
    const int count = static_cast<int>(signals);
    const int ldx = static_cast<int>(block_size);
    const double one = 1.0;
    dgemm_("N", "N", &M, &N, &count, &one, y, &M, x, &ldx, &one, stats.y_xt.data(), &M);
    add_row_products(x, block_size, signals, 1.0, stats.x_xt);
}

void single_products(const float* y, std::size_t signal_dim, const float* x, std::size_t atom_count,
                     std::size_t signals, float* y_xt, float* x_xt) {
    const int M = static_cast<int>(signal_dim);
    const int N = static_cast<int>(atom_count);
    const int count = static_cast<int>(signals);
    const int ldx = static_cast<int>(block_size);
    const float one = 1.0F, zero = 0.0F;
    sgemm_("N", "N", &M, &N, &count, &one, y, &M, x, &ldx, &zero, y_xt, &M);
    ssyrk_("L", "T", &N, &count, &one, x, &ldx, &zero, x_xt, &N);
}

}  // namespace sbdl
