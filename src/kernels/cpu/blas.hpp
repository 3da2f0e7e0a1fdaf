// The BLAS products of the statistics.
#pragma once

#include "kernels/kernel_set.hpp"

namespace sbdl {

/// stats.y_xt += Y X^T and the lower triangle of stats.x_xt += X X^T, for y laid out count x M, x N x block_size.
void add_code_products(const double* y, const double* x, std::size_t count, SufficientStats& stats);

/// The same in single precision; overwrites y_xt (M x N) and x_xt (N x N).
void single_products(const float* y, std::size_t M, const float* x, std::size_t N, std::size_t count, float* y_xt,
                     float* x_xt);

/// lower(g) += scale * sum over k of row_i(k) row_j(k); row n starts at rows + n * step and is `depth` long.
void add_row_products(const double* rows, std::size_t step, std::size_t depth, double scale, Mat& g);

}  // namespace sbdl
