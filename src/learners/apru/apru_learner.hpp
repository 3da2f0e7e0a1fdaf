// APrU-DL, a round at a time: codes of all signals with the atoms held, then the atoms with their profiles.
#pragma once

#include <vector>

#include "learners/apru/profile_fit.hpp"
#include "learners/sparse_run.hpp"
#include "learners/stale_atoms.hpp"
#include "sbdl/apru.hpp"

namespace sbdl {

/// Works on signals / unit.
class ApruLearner {
public:
    ApruLearner(const SignalSource& signals, double unit, const ApruOptions& options, const Context& context);

    /// One round. The objective is what the profiles lower, 1/2 ||Y - D X||^2 + lambda ||X||_1.
    SparseRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return codes_; }
    [[nodiscard]] const Mat& residual() const { return residual_; }
    [[nodiscard]] double lambda() const { return lambda_; }

private:
    void code();
    [[nodiscard]] std::vector<Eigen::Index> random_order();

    ScaledSignals signals_;
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
