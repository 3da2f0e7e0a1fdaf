// Matrix products and triangular systems by BLAS. To be called inside a ComputeScope.
#pragma once

#include "base/linalg.hpp"

namespace sbdl {

using ConstBlock = Eigen::Ref<const Mat>;
using Block = Eigen::Ref<Mat>;

/// C = scale A B + keep C. C must have its size; with keep = 0 it may be uninitialised.
void multiply(const ConstBlock& A, const ConstBlock& B, Block C, double scale = 1.0, double keep = 0.0);
/// C = scale A^T B + keep C.
void multiply_transposed(const ConstBlock& A, const ConstBlock& B, Block C, double scale = 1.0, double keep = 0.0);
/// C = scale A B^T + keep C.
void multiply_by_transposed(const ConstBlock& A, const ConstBlock& B, Block C, double scale = 1.0, double keep = 0.0);

/// Replaces the lower half of A, which is symmetric with eigenvalues of at least 1, by L with A = L L^T. Pivots that
/// rounding made less than 1 are set to 1. The upper half is neither read nor written.
void factor_lower(Block A);
/// B = L^-1 B; B = L^-T B. L is lower triangular; its upper half does not count.
void solve_lower(const ConstBlock& L, Block B);
void solve_lower_transposed(const ConstBlock& L, Block B);

}  // namespace sbdl
