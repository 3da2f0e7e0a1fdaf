// SBDL-VB. With the paper's prior a sweep updates, in this order,
//
//     q(X), q(alpha)     in one pass over the signals (V1, V2)
//     q(gamma)           from that pass's expected residual (V3), unless the noise is fixed
//     q(D)               from its statistics (V4)
//
// The bound is evaluated before q(D) moves, when all its terms are available and exact.
//
// With on/off codes on_off_vb.hpp takes over when the start has been found; its noise needs no fixing.
//
// The published algorithm fails in two ways. The climb ends at the optimum nearest to its start, often with two atoms
// at one true atom. At low signal-to-noise ratios the noise precision runs away, because every small coefficient that
// the bound admits absorbs some noise and so lowers the threshold for the next. Two options address both. It starts
// where a short, annealed Gibbs chain ended (a Gibbs sweep costs less than a VB sweep), and it fixes the noise at a
// re-estimate (pass/noise_reestimation.hpp), repeated until it settles. From there the bound is climbed to convergence.
#pragma once

#include <optional>

#include "learners/chains/posterior_average.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "learners/vb/bound.hpp"
#include "learners/vb/on_off_vb.hpp"
#include "learners/vb/vb_sweep_result.hpp"
#include "pass/code_pass.hpp"
#include "sbdl/vb.hpp"

namespace sbdl {

class VbLearner {
public:
    VbLearner(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Model* start = nullptr);

    /// Sweep number `sweep` (from 0, the start's included). With `scale` the pass records means and variances of codes.
    VbSweepResult sweep(int sweep, const Vec* scale = nullptr);

    /// The atoms' mean, M x N.
    [[nodiscard]] const Mat& atoms() const { return on_off_ ? on_off_->posterior().atoms : dictionary_.mean; }
    /// The norm of each atom: of its mean, or with on/off codes 1; 0 for an atom that is switched off.
    [[nodiscard]] Vec atom_norms() const;
    /// Standard deviations of the entries of atoms of unit norm.
    [[nodiscard]] Mat atom_std() const;
    [[nodiscard]] const PrecisionPosterior& noise() const { return on_off_ ? on_off_->posterior().noise : noise_; }
    /// Expected sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] const Vec& code_energy() const { return on_off_ ? on_off_->code_energy() : code_energy_; }

    /// With the paper's prior, and while the start is being found.
    [[nodiscard]] const DictionaryPosterior& dictionary() const { return dictionary_; }
    /// With on/off codes, once the start has been found; otherwise null.
    [[nodiscard]] const OnOffPosterior* on_off() const { return on_off_ ? &on_off_->posterior() : nullptr; }

    /// The pass is not included.
    void archive(StateArchive& archive);

private:
    VbSweepResult start_sweep(int sweep);
    void begin_on_off();
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
    PrecisionPosterior noise_;
    bool noise_settled_;
    Vec code_energy_;
    std::optional<OnOffVb> on_off_;  // begun when the start has been found
};

}  // namespace sbdl
