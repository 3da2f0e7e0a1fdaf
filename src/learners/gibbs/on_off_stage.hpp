// The second stage of a Gibbs chain, whose sweeps are kept: on/off codes and atoms of unit norm (docs/math.md, O). The
// first stage, with the paper's heavy-tailed prior, is the better searcher; this one has the better posterior.
//
//     y_l = sum_n d_n z_nl s_nl + w_l     |d_n| = 1     w_l ~ N(0, I / gamma)
//     z_nl ~ Bernoulli(pi_n)     s_nl ~ N(0, 1 / tau)     pi_n ~ Beta     tau, gamma ~ Gamma
//
// The stage starts from the first one's atoms and noise and from codes that are all off. Codes started at the final
// noise level would stay on the first atoms they meet. The noise is therefore first raised and then lowered to its
// level, while the atoms are held fixed. After this burn-in every sweep is exact.
#pragma once

#include "learners/chains/chains_run.hpp"
#include "learners/on_off_model.hpp"
#include "pass/code_pass.hpp"

namespace sbdl {

class OnOffStage {
public:
    /// Atoms need not have unit norm; zero atoms are not allowed. `burn_in` is this stage's own.
    OnOffStage(CodePass& pass, const OnOffHyper& hyper, const Mat& atoms, double noise_precision, int burn_in);

    /// Sweep number `sweep` of this stage, from 0. `draw` names its random numbers.
    ChainSweep sweep(int sweep, const OnOffNumbers& draw, const Vec* scale);

    [[nodiscard]] const OnOffState& state() const { return state_; }
    [[nodiscard]] const Vec& code_energy() const { return sums_.code_energy; }
    void archive(StateArchive& archive);

private:
    /// The noise precision for the codes of a sweep of burn-in.
    [[nodiscard]] double cooled_precision(int sweep) const;

    CodePass& pass_;
    OnOffHyper hyper_;
    double start_precision_;
    int cooling_sweeps_, held_sweeps_;
    OnOffState state_;
    OnOffSums sums_;
};

}  // namespace sbdl
