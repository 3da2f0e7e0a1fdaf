// K-SVD, a round at a time: codes of all signals with the atoms held, then the atoms in turn with the supports held.
#pragma once

#include "learners/ksvd/atom_fit.hpp"
#include "learners/omp_pass.hpp"
#include "learners/sparse_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

/// Works on signals / unit.
class KsvdLearner {
public:
    KsvdLearner(const SignalSource& signals, double unit, const KsvdOptions& options, const Context& context);

    /// One round. The dictionary, the codes and the residuals that it leaves belong together. Atoms that have not
    /// earned their place are replaced when the next round begins, and so never after the `last`.
    SparseRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return pass_.codes; }
    [[nodiscard]] const Mat& residual() const { return pass_.residual; }

private:
    ScaledSignals signals_;
    OmpOptions coding_;
    int threads_;
    Mat D_;  // dim x atoms, columns of unit norm
    OmpPass pass_;
    AtomFit fit_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
