// SBDL-VB. A sweep updates, in this order,
//
//     q(X), q(alpha)     in one pass over the signals (V1, V2)
//     q(gamma)           from that pass's expected residual (V3), unless the noise is held
//     q(D)               from its statistics (V4)
//
// and the bound is taken before q(D) moves, where all its terms are at hand and exact.
//
// As printed, the noise precision runs away at low signal-to-noise ratios: every small coefficient that the bound lets
// in takes some noise with it, which lowers the threshold for the next. So the standard preset anneals: the noise is
// held under a cap that rises slowly, and never above what a second look (learners/second_look.hpp) says; once that has
// settled, the noise stays held there and the bound is climbed to its end.
#pragma once

#include "learners/noise_cap.hpp"
#include "learners/vb/bound.hpp"
#include "sbdl/context.hpp"
#include "sbdl/options.hpp"
#include "train/block_sweep.hpp"

namespace sbdl {

struct VbSweepResult {
    double bound = 0.0;
    double gamma = 0.0;
    bool annealing = false;
    int refreshed = 0;
};

class VbLearner {
public:
    VbLearner(BlockSweep& signals, const VbOptions& options, const KernelSet& kernels, std::uint64_t seed);

    /// `codes_seen` gets every block with its means and variances, when given.
    VbSweepResult sweep(int sweep, const std::function<void(const BlockView&)>& codes_seen = {});

    [[nodiscard]] const DictionaryPosterior& dictionary() const { return dictionary_; }
    [[nodiscard]] const NoisePosterior& noise() const { return noise_; }
    /// Expected sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] const Vec& code_energy() const { return code_energy_; }

private:
    void update_noise(double residual_sq, int sweep);
    void listen_to_second_look(int sweep);
    void update_dictionary_posterior(const SufficientStats& stats);

    BlockSweep& signals_;
    const VbOptions& options_;
    std::unique_ptr<VbKernel> kernel_;
    std::uint64_t seed_;
    DictionaryPosterior dictionary_;
    NoisePosterior noise_;
    NoiseCap cap_;
    bool annealing_;
    double looked_at_;           // noise precision by the last second look; infinite before the first
    double last_look_sd_ = 0.0;  // what the second look said last
    Vec code_energy_;
};

}  // namespace sbdl
