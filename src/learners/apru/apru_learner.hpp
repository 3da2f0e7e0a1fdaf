// APrU-DL, a round at a time: codes of all signals with the atoms fixed, then the atoms with their profiles.
#pragma once

#include <vector>

#include "learners/apru/profile_fit.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/apru.hpp"

namespace sbdl {

class ApruLearner final : public RoundLearner {
public:
    ApruLearner(const SignalShare& signals, const ApruOptions& options, const Context& context);

    /// The objective is what the profiles lower, 1/2 ||Y - D X||^2 + lambda ||X||_1.
    RoundResult round(bool last) override;
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] const SparseCodes& codes() const override { return codes_; }
    void archive(StateArchive& archive) override;
    [[nodiscard]] const Mat& residual() const { return residual_; }
    [[nodiscard]] double lambda() const { return lambda_; }

private:
    void code();
    [[nodiscard]] std::vector<Eigen::Index> random_order();

    SignalShare signals_;
    int steps_, passes_, threads_;
    std::uint64_t seed_;
    std::uint32_t rounds_;  // made, also before this run
    double lambda_, lambda_s_;
    Mat D_;         // dim x atoms, columns of unit norm
    Mat profiles_;  // signals x atoms
    Mat residual_;  // dim x signals: Y - D X
    SparseCodes codes_;
    ProfileFit fit_;
    AtomRenewal renewal_;
};

}  // namespace sbdl
