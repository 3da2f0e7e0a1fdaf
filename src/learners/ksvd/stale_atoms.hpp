// Atoms that do not earn their place: nearly the copy of another, or used by too few. Each makes room for one of the
// signals that the dictionary represents worst.
#pragma once

#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "learners/omp_pass.hpp"

namespace sbdl {

struct StaleRule {
    double duplicate_correlation;  ///< |d^T d'| above this: the less used of the two is stale; 1: never
    int least_users;               ///< fewer than this: stale
};

/// In order of atoms. Of several copies the most used stays, and the first of those used alike.
std::vector<Eigen::Index> stale_atoms(const Mat& D, const SparseCodes& codes, const AtomUsers& users,
                                      const StaleRule& rule);

/// The `most` signals with the largest squared residuals, largest first; those not above `least` are left out.
std::vector<std::size_t> worst_signals(std::span<const double> residual2, std::size_t most, double least);

}  // namespace sbdl
