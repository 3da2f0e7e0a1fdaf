// MOD, a round at a time: codes of all signals with the atoms held, then all atoms with the codes held.
#pragma once

#include "learners/omp_pass.hpp"
#include "learners/sparse_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/mod.hpp"

namespace sbdl {

/// Works on signals / unit.
class ModLearner {
public:
    ModLearner(const SignalSource& signals, double unit, const ModOptions& options, const Context& context);

    /// One round. The objective is the squared norm of all residuals.
    SparseRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return pass_.codes; }

private:
    ScaledSignals signals_;
    OmpOptions coding_;
    int threads_;
    Mat D_;  // dim x atoms, columns of unit norm
    OmpPass pass_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
