// Majorization, a round at a time: steps of the codes with the atoms held, then steps of the atoms with the codes held.
#pragma once

#include "learners/sparse_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/majorization.hpp"

namespace sbdl {

/// Works on signals / unit.
class MajorizationLearner {
public:
    MajorizationLearner(const SignalSource& signals, double unit, const MajorizationOptions& options,
                        const Context& context);

    /// One round. The objective, 1/2 ||Y - D X||^2 + lambda ||X||_1, never rises while no atom is replaced.
    SparseRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return codes_; }

private:
    void step_codes();
    void update_atoms();
    void update_residual();

    template <class Body>
    void for_each_block(const Body& body) const;

    ScaledSignals signals_;
    MajorizationOptions options_;
    int threads_;
    double lambda_;
    Mat D_;         // dim x atoms, columns of unit norm
    Mat X_;         // atoms x signals
    Mat residual_;  // dim x signals: Y - D X
    SparseCodes codes_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
