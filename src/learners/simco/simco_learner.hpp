// SimCO, a round at a time: supports of all signals with the atoms fixed, then all atoms with the supports fixed.
#pragma once

#include "learners/rounds/rounds_run.hpp"
#include "learners/simco/sphere_search.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/simco.hpp"

namespace sbdl {

class SimcoLearner final : public RoundLearner {
public:
    SimcoLearner(const SignalShare& signals, const SimcoOptions& options, const Context& context);

    /// The objective is the squared norm of all residuals and this round's mu times that of the codes.
    RoundResult round(bool last) override;
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const SparseCodes& codes() const override { return pass_.codes; }
    void archive(StateArchive& archive) override;

private:
    SignalShare signals_;
    SimcoOptions options_;
    OmpOptions coding_;
    int threads_;
    int rounds_ = 0;
    Mat Y_;  // dim x signals, read in the first round
    Mat D_;  // dim x atoms, columns of unit norm
    SparsePass pass_;
    SphereSearch search_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
