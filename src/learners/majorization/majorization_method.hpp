// The majorization method's steps of all atoms with the codes held. 1/2 ||Y - D X||^2 lies below a sphere-shaped bound
// that touches it at the present D; the best atoms of unit norm for that bound are
//
//     D <- unit(D + (Y X^T - D X X^T) / c),   c >= the largest eigenvalue of X X^T
//
// and so the residual never rises.
#pragma once

#include "base/linalg.hpp"

namespace sbdl {

/// Steps until no entry moves by more than `tolerance`, or all are made. Atoms with no codes stay. x_xt = X X^T, y_xt =
/// Y X^T.
void step_atoms(const Mat& x_xt, const Mat& y_xt, int steps, double tolerance, Mat& D);

}  // namespace sbdl
