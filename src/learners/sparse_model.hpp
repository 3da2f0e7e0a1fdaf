// What learners with sparse codes leave behind, K-SVD and its kin: a model made of the dictionary and the codes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/linalg.hpp"
#include "sbdl/model.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// The sparsity asked for, lowered to the atoms or the entries of a signal where no code can have more; a warning says
/// so then.
std::optional<int> possible_sparsity(std::optional<int> asked, int atoms, const SignalSource& signals,
                                     std::vector<std::string>& warnings);

/// The entries of dense codes (atoms x signals) that are not zero.
SparseCodes sparse_codes(const Mat& X);

/// Sets what the dictionary (columns of unit norm) and the codes tell; codes and dictionary are those of signals /
/// unit, `residual_rms` is in the signals' own units.
void fill_sparse_model(const Mat& D, const SparseCodes& codes, double unit, double residual_rms, bool keep_codes,
                       Model& model);

}  // namespace sbdl
