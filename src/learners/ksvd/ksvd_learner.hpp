// K-SVD, a round at a time: codes of all signals with the atoms fixed, then the atoms in turn with the supports fixed.
#pragma once

#include "learners/ksvd/atom_fit.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

class KsvdLearner final : public RoundLearner {
public:
    KsvdLearner(const SignalShare& signals, const KsvdOptions& options, const Context& context);

    RoundResult round(bool last) override;
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const SparseCodes& codes() const override { return pass_.codes; }
    void archive(StateArchive& archive) override;
    [[nodiscard]] const Mat& residual() const { return pass_.residual; }

private:
    SignalShare signals_;
    OmpOptions coding_;
    int threads_;
    Mat D_;  // dim x atoms, columns of unit norm
    SparsePass pass_;
    AtomFit fit_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
