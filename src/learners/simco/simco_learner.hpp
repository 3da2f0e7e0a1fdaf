// SimCO, a round at a time: supports of all signals with the atoms held, then all atoms with the supports held.
#pragma once

#include "learners/omp_pass.hpp"
#include "learners/simco/sphere_search.hpp"
#include "learners/sparse_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/simco.hpp"

namespace sbdl {

/// Works on signals / unit.
class SimcoLearner {
public:
    SimcoLearner(const SignalSource& signals, double unit, const SimcoOptions& options, const Context& context);

    /// One round. The objective is the squared norm of all residuals and this round's mu times that of the codes.
    SparseRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return pass_.codes; }

private:
    ScaledSignals signals_;
    SimcoOptions options_;
    OmpOptions coding_;
    int threads_;
    int rounds_ = 0;
    Mat Y_;  // dim x signals
    Mat D_;  // dim x atoms, columns of unit norm
    OmpPass pass_;
    SphereSearch search_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
