// Variational Bayes with on/off codes and atoms on the unit sphere. A sweep updates, in this order,
//
//     q(x, z)                      in one pass over the signals (W1)
//     q(pi), q(tau), q(gamma)      from that pass's sums (W2, W3)
//     q(D)                         from its statistics, one atom at a time (W4)
//
// and evaluates the bound before q(D) moves. Every update is exact, so the bound never falls.
//
// From a dictionary alone, the codes of a first sweep at the final noise would stay with the first atoms they meet. The
// first sweeps therefore hold the atoms and raise the noise precision from the signals' own to an estimate; in a few
// more the noise is free and the atoms are still held. After these settling sweeps nothing is held.
#pragma once

#include "learners/on_off_model.hpp"
#include "learners/vb/bound.hpp"
#include "learners/vb/vb_sweep_result.hpp"
#include "pass/code_pass.hpp"
#include "sbdl/vb.hpp"

namespace sbdl {

/// q of everything except the codes.
struct OnOffPosterior {
    Mat atoms;                        ///< <d_n>, M x N
    Vec concentration;                ///< kappa_n of the von Mises-Fisher distribution of d_n; infinite: d_n is a point
    Vec spread;                       ///< 1 - |<d_n>|^2
    Vec divergence;                   ///< of q(d_n) from uniform
    Mat entry_var;                    ///< signals with gaps: variances of the atoms' entries, M x N; else no size
    Vec log_on;                       ///< <ln pi_n>
    Vec log_off;                      ///< <ln(1 - pi_n)>
    Vec users;                        ///< sum_l w_nl
    PrecisionPosterior codes, noise;  ///< q(tau), q(gamma)

    /// Points of unit norm; an atom that is zero is uniform on the sphere. `gaps`: entries of signals are missing.
    void set_atoms(const Mat& D, bool gaps = false);
    /// W4: atoms in turn.
    void update_atoms(const SufficientStats& stats);
    /// K6: the same from signals with gaps, after a sweep of the pass.
    void update_gappy_atoms(CodePass& pass);
    /// W2.
    void update_usage(const OnOffHyper& hyper, const SufficientStats& stats, double signal_count);
    /// Standard deviations of the atoms' entries.
    [[nodiscard]] Mat atom_std() const;

    void archive(StateArchive& archive);
};

/// How many signals there are, and observed entries in them.
struct SignalCounts {
    double signals, values;
};

/// The bound for codes that were updated with `q.atoms` and the code variances v; log_code_var is the mean of ln v over
/// the entries that are on. q(pi) is the one that follows from the statistics (W5).
double on_off_bound(const OnOffHyper& hyper, const SufficientStats& stats, const SignalCounts& counts,
                    double log_code_var, const OnOffPosterior& q);

class OnOffVb {
public:
    OnOffVb(CodePass& pass, const VbOptions& options);

    /// Starts at the atoms in the columns of D, whatever their lengths, and an estimate of the noise precision.
    void start(const Mat& D, double noise_precision);

    /// One more sweep. With `scale` the pass records means and variances of codes.
    VbSweepResult sweep(const Vec* scale = nullptr);

    [[nodiscard]] const OnOffPosterior& posterior() const { return q_; }
    /// Expected sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] const Vec& code_energy() const { return code_energy_; }

    /// The pass is not included.
    void archive(StateArchive& archive);

private:
    CodePass& pass_;
    OnOffHyper hyper_;
    int tempered_sweeps_, held_sweeps_;
    int made_ = 0;
    double noise_target_ = 1.0;  // where the tempered noise precision ends
    OnOffPosterior q_;
    Vec code_energy_;
};

}  // namespace sbdl
