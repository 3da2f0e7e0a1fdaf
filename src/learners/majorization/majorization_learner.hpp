// Majorization, a round at a time: steps of the codes with the atoms fixed, then steps of the atoms with the codes
// fixed.
#pragma once

#include "learners/rounds/rounds_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/majorization.hpp"

namespace sbdl {

class MajorizationLearner final : public RoundLearner {
public:
    MajorizationLearner(const SignalShare& signals, const MajorizationOptions& options, const Context& context);

    /// The objective, 1/2 ||Y - D X||^2 + lambda ||X||_1, never rises while no atom is replaced.
    RoundResult round(bool last) override;
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const SparseCodes& codes() const override { return codes_; }
    void archive(StateArchive& archive) override;

private:
    void step_codes();
    void update_atoms();
    void update_residual();

    SignalShare signals_;
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
