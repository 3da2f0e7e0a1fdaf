// The dense algebra inside the library: Eigen, column-major, with the paper's shapes. The rows of the public interface
// are the columns here, byte for byte.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

/// Rows of the public matrix as columns.
inline Eigen::Map<const Mat> as_columns(MatrixView rows) {
    return {rows.data, static_cast<Eigen::Index>(rows.cols), static_cast<Eigen::Index>(rows.rows)};
}

/// Columns as the rows of a public matrix.
inline Matrix to_rows(const Mat& columns) {
    Matrix rows(static_cast<std::size_t>(columns.cols()), static_cast<std::size_t>(columns.rows()));
    Eigen::Map<Mat>(rows.data(), columns.rows(), columns.cols()) = columns;
    return rows;
}

/// Columns of unit norm; a zero column stays zero.
inline Mat unit_columns(const Mat& D) {
    Mat unit = D;
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        const double norm = D.col(n).stableNorm();
        if (norm > 0.0) unit.col(n) /= norm;
        // A norm this small has lost digits.
        if (norm > 0.0 && norm < 1e-290) unit.col(n) /= unit.col(n).norm();
    }
    return unit;
}

inline std::vector<double> to_vector(const Vec& v) {
    return {v.data(), v.data() + v.size()};
}

}  // namespace sbdl
