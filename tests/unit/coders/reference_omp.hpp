// Orthogonal matching pursuit by its definition, with a least-squares fit by QR at every step: the reference for the
// fast one.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"
#include "support/dense_algebra.hpp"

namespace sbdl::test {

struct ReferenceCode {
    std::vector<Eigen::Index> atoms;  ///< in the order picked
    Vec values;
    double residual_norm = 0.0;
};

/// y minus its projection onto the atoms, and the coefficients of the projection.
inline Vec fit(const Mat& atoms, const Vec& y, Vec& values) {
    if (atoms.cols() == 0) {
        values.resize(0);
        return y;
    }
    values = least_squares(atoms, y);
    return y - atoms * values;
}

/// The atoms are the columns of D.
inline ReferenceCode reference_omp(const Mat& D, const Vec& y, const OmpOptions& options) {
    Mat unit = D;
    for (auto column : unit.colwise())
        if (column.norm() > 0.0) column.normalize();
    auto most = static_cast<std::size_t>(std::min(D.rows(), D.cols()));
    if (options.max_nonzeros > 0) most = std::min(most, options.max_nonzeros);

    ReferenceCode code;
    Vec residual = y, unused;
    while (residual.norm() > options.max_error && code.atoms.size() < most) {
        const Mat picked = unit(Eigen::all, code.atoms);
        Eigen::Index best = -1;
        double best_score = 0.0;
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            const double correlation = std::abs(unit.col(n).dot(residual));
            const double distance = fit(picked, unit.col(n), unused).norm();
            if (correlation <= 1e-13 * y.norm() || distance <= 1e-5) continue;
            const double score = options.pursuit == Pursuit::ormp ? correlation / distance : correlation;
            if (score > best_score) {
                best_score = score;
                best = n;
            }
        }
        if (best < 0) break;
        code.atoms.push_back(best);
        residual = fit(unit(Eigen::all, code.atoms), y, unused);
    }
    fit(D(Eigen::all, code.atoms), y, code.values);
    code.residual_norm = residual.norm();
    return code;
}

}  // namespace sbdl::test
