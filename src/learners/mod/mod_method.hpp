// MOD's step: the atoms that leave least of the signals with the codes held, D = Y X^T (X X^T)^-1.
#pragma once

#include "base/linalg.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// Replaces the atoms of D by the best ones for the pass's codes, at unit norm; the codes are scaled to match, and the
/// residuals follow. Unused atoms stay. Where the codes do not decide the atoms, those nearest the old ones
/// are taken. Sums are taken in parts that follow from the number of signals, so that threads change nothing.
void take_best_atoms(Mat& D, SparsePass& pass, int threads);

}  // namespace sbdl
