// Salt and pepper: single pixels that are black or white at random.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// The share of pixels that have the least or the largest value of the plane while their neighbours have others; 0 if
/// they are few, or if other noise explains them.
double impulse_share(const Matrix& plane);

}  // namespace sbdl
