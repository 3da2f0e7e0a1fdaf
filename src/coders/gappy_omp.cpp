#include "coders/gappy_omp.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {
namespace {

// As in batch_omp.cpp: an atom within this squared distance of the span of the others lies in it, and correlations
// below this fraction of the signal's norm are rounding errors.
constexpr double in_the_span = 1e-10;
constexpr double rounding_error = 1e-13;

/// The rows of observed entries.
std::vector<Eigen::Index> observed_rows(const Eigen::Ref<const Vec>& y) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index m = 0; m < y.size(); ++m)
        if (!std::isnan(y[m])) rows.push_back(m);
    return rows;
}

}  // namespace

GappyOmp::Code GappyOmp::code(const Eigen::Ref<const Vec>& y, double max_error) const {
    const std::vector<Eigen::Index> rows = observed_rows(y);
    const auto seen = static_cast<Eigen::Index>(rows.size());
    Mat atoms = atoms_(rows, Eigen::all);
    const Vec norms = atoms.colwise().norm();
    for (Eigen::Index n = 0; n < atoms.cols(); ++n)
        if (norms[n] > 0.0) atoms.col(n) /= norms[n];

    Vec left = y(rows);
    const double floor = rounding_error * left.norm();
    const double most_error2 = max_error * max_error * static_cast<double>(seen) / static_cast<double>(y.size());
    const Eigen::Index limit = std::min(seen, atoms.cols());
    const Eigen::Index most =
        options_.max_nonzeros > 0 ? std::min(limit, static_cast<Eigen::Index>(options_.max_nonzeros)) : limit;
    Vec distance2 = (norms.array() > 0.0).cast<double>();     // of the atoms from the span of those picked
    Mat basis(seen, most), triangle = Mat::Zero(most, most);  // picked atoms = basis times triangle
    Vec target(most);
    Code code;
    code.residual2 = left.squaredNorm();
    while (code.residual2 > most_error2 && static_cast<Eigen::Index>(code.atoms.size()) < most) {
        const Vec along = atoms.transpose() * left;
        Eigen::Index best = -1;
        double score = 0.0;
        for (Eigen::Index n = 0; n < atoms.cols(); ++n) {
            if (!(distance2[n] > in_the_span && std::abs(along[n]) > floor)) continue;
            const double gain =
                options_.pursuit == Pursuit::ormp ? along[n] * along[n] / distance2[n] : std::abs(along[n]);
            if (gain > score) {
                score = gain;
                best = n;
            }
        }
        if (best < 0) break;

        const auto k = static_cast<Eigen::Index>(code.atoms.size());
        Vec direction = atoms.col(best);
        for (int twice = 0; twice < 2; ++twice) {  // the second time removes what rounding left
            const Vec part = basis.leftCols(k).transpose() * direction;
            direction -= basis.leftCols(k) * part;
            triangle.col(k).head(k) += part;
        }
        triangle(k, k) = direction.norm();
        basis.col(k) = direction / triangle(k, k);
        target[k] = basis.col(k).dot(left);
        left -= target[k] * basis.col(k);
        distance2 -= (atoms.transpose() * basis.col(k)).cwiseAbs2();
        distance2[best] = 0.0;
        code.atoms.push_back(static_cast<std::uint32_t>(best));
        code.residual2 = left.squaredNorm();
    }

    const auto picked = static_cast<Eigen::Index>(code.atoms.size());
    const Vec values = triangle.topLeftCorner(picked, picked).triangularView<Eigen::Upper>().solve(target.head(picked));
    for (Eigen::Index k = 0; k < picked; ++k)
        code.values.push_back(values[k] / norms[code.atoms[static_cast<std::size_t>(k)]]);
    return code;
}

}  // namespace sbdl
