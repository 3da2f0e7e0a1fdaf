// MOD's step: the atoms that minimise the residual with the codes fixed, D = Y X^T (X X^T)^-1.
#pragma once

#include "base/linalg.hpp"
#include "pass/shared_parts.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// Replaces the atoms of D by the best ones for the pass's codes, at unit norm; the codes are scaled to match, and the
/// residuals follow. Unused atoms stay. Where the codes do not determine the atoms, the solution nearest to the old
/// ones is taken. `pass` has the codes of this rank's signals; neither ranks nor threads change the result.
void take_best_atoms(Mat& D, SparsePass& pass, const SharedParts& parts, int threads);

}  // namespace sbdl
