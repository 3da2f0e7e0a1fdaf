// The model of learners with sparse codes, K-SVD and its relatives: made of the dictionary and the codes.
#pragma once

#include "base/linalg.hpp"
#include "sbdl/model.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// The entries of dense codes (atoms x signals) that are not zero.
SparseCodes sparse_codes(const Mat& X);

/// Sets what follows from the dictionary (columns of unit norm) and the codes; codes and dictionary are those of
/// signals / unit, `residual_rms` is in the signals' own units.
void fill_sparse_model(const Mat& D, const SparseCodes& codes, double unit, double residual_rms, bool keep_codes,
                       Model& model);

}  // namespace sbdl
