// Recovery of a known dictionary: distances 1 - |cos| between all pairs of atoms, then two ways to pair them up.
#include "sbdl/score.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "diagnostics/assignment.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void check_atoms(MatrixView atoms, std::string_view name) {
    if (atoms.rows == 0 || atoms.cols == 0)
        throw InputError(fmt::format("score: the {} dictionary is empty ({} x {})", name, atoms.rows, atoms.cols));
    for (std::size_t i = 0; i < atoms.rows; ++i)
        for (std::size_t j = 0; j < atoms.cols; ++j)
            if (!std::isfinite(atoms(i, j)))
                throw InputError(fmt::format("score: the {} dictionary has {} in row {}, column {} (counted from 1)",
                                             name, atoms(i, j), i + 1, j + 1));
}

// Rows scaled to unit norm. Dividing by the largest entry first keeps very large and very small atoms from overflowing
// or vanishing in the sum of squares. Rows of zeros stay: they are orthogonal to everything.
RowMatrix directions(MatrixView atoms) {
    RowMatrix result = Eigen::Map<const RowMatrix>(atoms.data, static_cast<Eigen::Index>(atoms.rows),
                                                   static_cast<Eigen::Index>(atoms.cols));
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        const double largest = result.row(i).cwiseAbs().maxCoeff();
        if (largest == 0.0) continue;
        result.row(i) /= largest;
        result.row(i) /= result.row(i).norm();
    }
    return result;
}

}  // namespace

RecoveryScore score_dictionary(MatrixView truth, MatrixView learned, double threshold) {
    check_atoms(truth, "true");
    check_atoms(learned, "learned");
    if (truth.cols != learned.cols)
        throw InputError(
            fmt::format("score: true atoms have {} entries, learned atoms have {}; their lengths must be equal",
                        truth.cols, learned.cols));
    if (!(threshold > 0.0 && threshold <= 1.0))
        throw InputError(fmt::format("score: threshold is {}, must be above 0 and at most 1", threshold));

    const RowMatrix cosines = directions(truth) * directions(learned).transpose();
    Matrix distance(truth.rows, learned.rows);
    for (std::size_t i = 0; i < distance.size(); ++i)
        distance.data()[i] = std::max(0.0, 1.0 - std::abs(cosines.data()[i]));  // rounding can bring |cos| above 1

    RecoveryScore score;
    score.true_atoms = truth.rows;
    score.assigned_to = cheapest_assignment(distance);
    for (std::size_t i = 0; i < truth.rows; ++i) {
        const auto row = distance.row(i);
        score.nearest_distance.push_back(*std::min_element(row.begin(), row.end()));
        const std::ptrdiff_t partner = score.assigned_to[i];
        score.assigned_distance.push_back(partner < 0 ? 1.0 : row[static_cast<std::size_t>(partner)]);
        if (score.nearest_distance[i] < threshold) ++score.nearest_recovered;
        if (score.assigned_distance[i] < threshold) ++score.assigned_recovered;
    }
    return score;
}

}  // namespace sbdl
