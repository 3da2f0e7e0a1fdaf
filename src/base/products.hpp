// Matrix products by BLAS. To be called inside a ComputeScope.
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

}  // namespace sbdl
