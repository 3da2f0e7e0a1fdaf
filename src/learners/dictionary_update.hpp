// The dictionary given the statistics C = Y X^T and G = X X^T: drawn (Gibbs) or as a distribution (VB), one atom at a
// time or whole. No residual is needed anywhere (docs/math.md, G4 and V4).
#pragma once

#include <optional>

#include "base/state_archive.hpp"
#include "random/stream.hpp"
#include "statistics/sufficient_stats.hpp"

namespace sbdl {

/// C_n - sum_{k != n} d_k G_kn: the correlation of atom n's codes with what the other atoms leave.
Vec correlation_without(const SufficientStats& stats, const Mat& D, Eigen::Index n);

/// G4, one atom at a time: d_n ~ N(g s (C_n - sum_{k != n} d_k G_kn), s I), s = 1 / (g G_nn + 1/beta).
void draw_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DrawStream& draws, Mat& D);

/// G4', whole: rows of D are N(g C_m A, A), A = (g G + I/beta)^{-1}.
void draw_dictionary(const SufficientStats& stats, double gamma, double beta, DrawStream& draws, Mat& D);

/// q(D) under VB: the mean, and either independent atoms with covariance s_n I or rows that share A. Where entries of
/// the signals are missing, the entries of an atom are known to different degrees: s_mn takes the place of s_n.
struct DictionaryPosterior {
    Mat mean;            ///< M x N
    Vec atom_var;        ///< N, s_n; empty when rows share a covariance
    Mat row_cov;         ///< N x N, A; empty when atoms are independent
    Mat gappy_var = {};  ///< M x N, s_mn; empty without gaps
    /// ln det A, taken from the Cholesky factor of the precision in update_dictionary. A itself holds its small
    /// eigenvalues only to the rounding error of the large ones, which is not accurate enough for the bound when there
    /// are many atoms and few signals.
    std::optional<double> row_cov_log_det = {};

    [[nodiscard]] bool independent() const { return row_cov.size() == 0; }
    /// Variance of entry m of atom n; without gaps it is the same for all m.
    [[nodiscard]] double entry_var(Eigen::Index n, Eigen::Index m = 0) const {
        if (gappy_var.size() > 0) return gappy_var(m, n);
        return independent() ? atom_var[n] : row_cov(n, n);
    }
    /// M/2 ln det(2 pi e A), or the sum of M/2 ln(2 pi e s_n), or that of ln(2 pi e s_mn) / 2.
    [[nodiscard]] double entropy() const;
    /// tr <D^T D>.
    [[nodiscard]] double expected_norm_sq() const;

    void archive(StateArchive& archive);
};

/// V4, one atom at a time. The means of the other atoms enter with the full <x_k x_n>, covariance included.
void update_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q);

/// V4 from signals with gaps, one atom at a time (K5).
void update_gappy_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q);

/// V4', whole.
void update_dictionary(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q);

}  // namespace sbdl
