#include "support/dense_algebra.hpp"

#include <Eigen/Dense>

namespace sbdl::test {

Mat inverse(const Mat& matrix) {
    return matrix.inverse();
}

double determinant(const Mat& matrix) {
    return matrix.determinant();
}

Eigen::Index rank(const Mat& matrix) {
    return matrix.colPivHouseholderQr().rank();
}

Vec least_squares(const Mat& A, const Vec& y) {
    return A.colPivHouseholderQr().solve(y);
}

Mat orthogonal_factor(const Mat& matrix) {
    return matrix.householderQr().householderQ();
}

ThinSvd thin_svd(const Mat& matrix) {
    const Eigen::JacobiSVD<Mat> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

}  // namespace sbdl::test
