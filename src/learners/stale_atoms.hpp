// Stale atoms: near-copies of another atom, or atoms used by too few signals. Each is replaced by one of the signals
// that the dictionary represents worst. All methods decide by the same rule; they differ in how little use makes an
// atom stale.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "pass/shared_parts.hpp"
#include "pass/signal_share.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

struct StaleRule {
    double duplicate_correlation;  ///< |d^T d'| above this: the less used of the two is stale; 1: never
    int least_users;               ///< fewer than this: stale
    double least_share = 0.0;      ///< fewer than this fraction of the mean number of users: stale
};

/// Whether atom n (of unit-norm atoms) is used less than `least`, or is a copy of one that is used more, or of an
/// earlier one that is used equally. Uses are counts or energies.
bool is_stale(const Mat& unit_atoms, const Vec& use, Eigen::Index n, double least, double duplicate_correlation);

/// The stale atoms in order, given how many signals use each. Of several copies the most used stays, and of those used
/// equally the first.
std::vector<Eigen::Index> stale_atoms(const Mat& D, std::span<const int> users, const StaleRule& rule);

/// How many signals use each atom.
std::vector<int> count_users(const SparseCodes& codes);

/// The `most` signals with the largest squared residuals, largest first; those not above `least` are left out.
std::vector<std::size_t> worst_signals(std::span<const double> residual2, std::size_t most, double least);
/// The same of the signals of all ranks, each of which has the residuals of its own.
std::vector<std::size_t> worst_signals(std::span<const double> residual2, std::size_t most, double least,
                                       const SharedParts& parts);

/// Squared norms of the columns.
std::vector<double> squared_norms(const Mat& columns);

/// Decides at the end of a round which atoms to replace, and replaces them when the next one begins, so that the
/// dictionary, codes and residuals of the last round belong together.
class AtomRenewal {
public:
    /// A run has `rounds`. In the last quarter of them the atoms are allowed to settle: least_share is not applied, and
    /// only a correlation of 0.99 makes a copy.
    AtomRenewal(const StaleRule& rule, int rounds) : rule_(rule), rounds_left_(rounds), settling_(rounds / 4) {}

    /// `users` are those of each atom. `residual2` has the squared residual of each signal of this rank, in units in
    /// which signals have a mean square of 1 per entry. Returns how many atoms will be replaced; a signal replaces at
    /// most one, and none if its residual is rounding.
    int plan(const Mat& D, std::span<const int> users, std::span<const double> residual2, const SharedParts& parts);

    /// Replaces the atoms with the signals, scaled to unit norm. Returns which atoms were replaced.
    std::vector<Eigen::Index> carry_out(const SignalShare& signals, const SharedParts& parts, Mat& D);

    void archive(StateArchive& archive);

private:
    StaleRule rule_;
    int rounds_left_;
    int settling_;
    std::vector<std::uint64_t> atoms_, signals_;  // planned: the signal that takes the place of each atom
};

}  // namespace sbdl
