// The majorization method's steps for all atoms, with the codes fixed. 1/2 ||Y - D X||^2 lies below an isotropic
// quadratic bound that touches it at the current D. The unit-norm atoms that minimise the bound are
//
//     D <- unit(D + (Y X^T - D X X^T) / c),   c >= the largest eigenvalue of X X^T
//
// so the residual never rises.
#pragma once

#include "base/linalg.hpp"

namespace sbdl {

/// Takes steps until no entry moves by more than `tolerance`, or all steps are made. Atoms with no codes stay as they
/// are. x_xt = X X^T, y_xt = Y X^T.
void step_atoms(const Mat& x_xt, const Mat& y_xt, int steps, double tolerance, Mat& D);

}  // namespace sbdl
