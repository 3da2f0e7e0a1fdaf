// SBDL-VB. A sweep updates, in this order,
//
//     q(X), q(alpha)     in one pass over the signals (V1, V2)
//     q(gamma)           from that pass's expected residual (V3), unless the noise is fixed
//     q(D)               from its statistics (V4)
//
// The bound is evaluated before q(D) moves, when all its terms are available and exact.
//
// The published algorithm fails in two ways. The climb ends at the optimum nearest to its start, often with two atoms
// at one true atom. At low signal-to-noise ratios the noise precision runs away, because every small coefficient that
// the bound admits absorbs some noise and so lowers the threshold for the next. The standard preset addresses both. It
// starts where a short, annealed Gibbs chain ended (a Gibbs sweep costs less than a VB sweep), and it fixes the noise
// at a re-estimate (pass/noise_reestimation.hpp), repeated until it settles. From there the bound is climbed to
// convergence.
#pragma once

#include <optional>

#include "learners/chains/posterior_average.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "learners/vb/bound.hpp"
#include "pass/code_pass.hpp"
#include "sbdl/vb.hpp"

namespace sbdl {

struct VbSweepResult {
    double bound = 0.0;  ///< NaN in the sampled start
    double gamma = 0.0;
    bool settling = false;  ///< the start is being found, or the noise still moves
    int refreshed = 0;
};

class VbLearner {
public:
    VbLearner(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Model* start = nullptr);

    /// Sweep number `sweep` (from 0, the start's included). With `scale` the pass records means and variances of codes.
    VbSweepResult sweep(int sweep, const Vec* scale = nullptr);

    [[nodiscard]] const DictionaryPosterior& dictionary() const { return dictionary_; }
    [[nodiscard]] const NoisePosterior& noise() const { return noise_; }
    /// Expected sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] const Vec& code_energy() const { return code_energy_; }

    /// The pass is not included.
    void archive(StateArchive& archive);

private:
    VbSweepResult start_sweep(int sweep);
    void take_start(const Mat& D);
    void update_noise(double residual_sq, int sweep);
    void reestimate();

    CodePass& pass_;
    VbOptions options_;
    std::uint64_t seed_;
    int start_burn_in_ = 0;
    std::optional<GibbsChain> start_chain_;  // until the start is found
    std::optional<PosteriorAverage> start_average_;
    DictionaryPosterior dictionary_;
    NoisePosterior noise_;
    bool noise_settled_;
    Vec code_energy_;
};

}  // namespace sbdl
