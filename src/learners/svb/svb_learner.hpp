// Stochastic variational Bayes with on/off codes (docs/math.md, X). For each batch of signals,
//
//     q(x, z)                      of its signals, from nothing, with everything else fixed (W1)
//     statistics                   a natural-gradient step: those of the batch count rho, the older ones 1 - rho (X1)
//     q(pi), q(tau), q(gamma)      from the statistics (W2, W3)
//     q(D)                         from the statistics, one atom at a time (W4)
//
// A batch of all signals with rho = 1 is a sweep of vb.
#pragma once

#include "learners/svb/batch_posterior.hpp"
#include "learners/vb/on_off_vb.hpp"
#include "sbdl/svb.hpp"

namespace sbdl {

class SvbLearner {
public:
    /// Starts at atoms in the columns of D, of any length, and a noise precision. The signals of the stream, those of
    /// the runs before included, are `signals` different ones with a mean square of about 1.
    SvbLearner(const SvbOptions& options, const Mat& D, double noise_precision, double signals, int threads);
    /// Continues where the run ended that made the model, with more signals: so many different ones in all.
    SvbLearner(const SvbOptions& options, const Model& model, double signals, int threads);

    /// Starts anew at other atoms and another noise precision.
    void restart(const Mat& D, double noise_precision);

    /// Learns from the columns of Y. Returns the number of atoms replaced.
    int learn(const Mat& Y);

    [[nodiscard]] const OnOffPosterior& posterior() const { return q_; }
    /// How many signals the statistics are worth: as many as an average with equal weights that is as certain.
    [[nodiscard]] double remembered() const { return remembered_; }
    /// Root mean square code of each atom.
    [[nodiscard]] Vec usage() const { return mean_.x_xt.diagonal().cwiseMax(0.0).cwiseSqrt(); }

    /// An estimate of the bound (W5) of so many signals, from all batches since the last call of begin_tally().
    [[nodiscard]] double bound(double signals) const;
    /// Their mean number of atoms in a code.
    [[nodiscard]] double mean_nonzeros() const { return tally_.users.sum() / tallied_; }
    void begin_tally();

    /// The moments of the codes of the columns of Y, with everything else as it is.
    void code(const Mat& Y, const BatchPosterior::Record& record) { batch_.code(Y, q_, &record); }

    /// Fills in what a later run needs to continue.
    void save(Model& model) const;
    void archive(StateArchive& archive);

private:
    [[nodiscard]] double step_length(double share_of_batch) const;
    /// q(pi), q(tau), q(gamma).
    void update_shared();
    int replace_stale(const Mat& Y);
    void put_in_place(Eigen::Index atom, const Vec& direction);
    void place(Eigen::Index atom, const Vec& direction, double concentration);

    SvbOptions options_;
    OnOffHyper hyper_;
    double signals_;  // different ones in the stream, at most
    BatchPosterior batch_;
    OnOffPosterior q_;
    SufficientStats mean_;     // per signal, the natural parameters of q up to a factor (X1)
    double remembered_ = 0.0;  // that factor
    double steps_ = 0.0;       // made; an incomplete batch counts as a part of one
    SufficientStats tally_;    // sums over the batches of a sweep
    double tallied_ = 0.0;     // signals
    double divergence_ = 0.0;  // of q(D) when the last of them was coded
};

}  // namespace sbdl
