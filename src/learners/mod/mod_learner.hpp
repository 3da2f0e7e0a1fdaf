// MOD, a round at a time: codes of all signals with the atoms fixed, then all atoms with the codes fixed.
#pragma once

#include "learners/rounds/rounds_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/mod.hpp"

namespace sbdl {

class ModLearner final : public RoundLearner {
public:
    ModLearner(const SignalShare& signals, const ModOptions& options, const Context& context);

    RoundResult round(bool last) override;
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const SparseCodes& codes() const override { return pass_.codes; }
    void archive(StateArchive& archive) override;

private:
    SignalShare signals_;
    OmpOptions coding_;
    int threads_;
    Mat D_;  // dim x atoms, columns of unit norm
    SparsePass pass_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
