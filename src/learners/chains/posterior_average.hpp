// Running averages over the kept sweeps of a chain. Atoms are compared at unit norm and with a fixed sign, because the
// model determines neither: d_n x_n = (-d_n)(-x_n), and the scale between them drifts.
#pragma once

#include <vector>

#include "base/linalg.hpp"
#include "base/state_archive.hpp"

namespace sbdl {

/// How the atoms of one chain correspond to those of another.
struct AtomPairs {
    std::vector<Eigen::Index> partner;  ///< atom of the other chain for each atom of this one; negative: none
    Vec sign;                           ///< by which the partner must be multiplied, 1 or -1
    Vec cosine;                         ///< of the pair, without its sign
};

class PosteriorAverage {
public:
    PosteriorAverage() = default;
    /// `start` fixes the signs: atoms are flipped to agree with it.
    explicit PosteriorAverage(const Mat& start);

    void add(const Mat& D, const Vec& code_energy, double signal_count, double noise_sd);

    /// Adds the draws of another chain. Atoms without a partner keep their own draws alone.
    void merge(const PosteriorAverage& other, const AtomPairs& pairs);

    /// The norm of atom n of D, negative if its sign is flipped. Dividing the atom by it gives the unit-norm atom that
    /// is averaged; a code entry of the atom is multiplied by it.
    [[nodiscard]] Vec signed_norm(const Mat& D) const;

    /// D's atoms at unit norm, with the signs used in the average.
    [[nodiscard]] Mat turned(const Mat& D) const;

    [[nodiscard]] int count() const { return count_; }
    /// Of each atom: `count` of them unless it had no partner in a chain that was merged.
    [[nodiscard]] const Vec& draws() const { return draws_; }
    [[nodiscard]] Mat mean_atoms() const;  ///< of unit norm
    [[nodiscard]] Mat atom_std() const;    ///< of the unit-norm atoms' entries; empty with fewer than two draws
    /// Root mean square distance of those entries from an estimate; empty with fewer than two draws.
    [[nodiscard]] Mat rms_distance(const Mat& estimate) const;
    [[nodiscard]] Vec mean_norm() const { return norm_sum_.cwiseQuotient(draws_); }
    /// Root mean square code of each unit-norm atom.
    [[nodiscard]] Vec usage() const { return usage_sq_sum_.cwiseQuotient(draws_).cwiseSqrt(); }
    [[nodiscard]] double noise_sd() const { return noise_sum_ / count_; }
    [[nodiscard]] double noise_sd_std() const;  ///< NaN with fewer than two draws

    void archive(StateArchive& archive);

private:
    [[nodiscard]] Mat mean_difference() const;  ///< of the unit-norm atoms from the reference

    int count_ = 0;
    Vec draws_;
    Mat reference_;
    Mat sum_, sum_sq_;
    Vec norm_sum_, usage_sq_sum_;
    double noise_sum_ = 0.0, noise_sq_sum_ = 0.0, noise_first_ = 0.0;
};

}  // namespace sbdl
