// How well a learned dictionary matches a known one: the recovery rate of the paper's Table I.
#pragma once

#include <cstddef>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

struct RecoveryScore {
    std::size_t true_atoms = 0;
    /// True atoms with a learned atom at distance 1 - |cos| < threshold; one learned atom may serve several.
    std::size_t nearest_recovered = 0;
    /// The same when each learned atom is used at most once, by the assignment with the smallest total distance.
    std::size_t assigned_recovered = 0;
    std::vector<double> nearest_distance;     ///< per true atom
    std::vector<double> assigned_distance;    ///< per true atom; 1 for a true atom without a partner
    std::vector<std::ptrdiff_t> assigned_to;  ///< learned atom of each true atom, -1 for none
    [[nodiscard]] double nearest_rate() const { return double(nearest_recovered) / double(true_atoms); }
    [[nodiscard]] double assigned_rate() const { return double(assigned_recovered) / double(true_atoms); }
};

/// Atoms are rows. Throws InputError when the atoms' lengths differ or a matrix is empty or not finite.
RecoveryScore score_dictionary(MatrixView truth, MatrixView learned, double threshold = 0.01);

}  // namespace sbdl
