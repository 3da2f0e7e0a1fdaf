// Eigen's decompositions, compiled once for all test programs: each takes seconds to compile.
#pragma once

#include "base/linalg.hpp"

namespace sbdl::test {

Mat inverse(const Mat& matrix);
double determinant(const Mat& matrix);
Eigen::Index rank(const Mat& matrix);

/// The x that minimises |A x - y|.
Vec least_squares(const Mat& A, const Vec& y);

/// The orthogonal factor of a QR decomposition.
Mat orthogonal_factor(const Mat& matrix);

struct ThinSvd {
    Mat U;
    Vec values;  ///< the largest first
    Mat V;
};
ThinSvd thin_svd(const Mat& matrix);

}  // namespace sbdl::test
