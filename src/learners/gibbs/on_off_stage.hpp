// The second stage of a Gibbs chain, whose sweeps are kept: on/off codes and atoms of unit norm (docs/math.md, O1 to
// O4). The first stage searches with the paper's heavy-tailed prior; this one samples the posterior that is reported.
//
//     y_l = sum_n d_n z_nl s_nl + w_l     |d_n| = 1     w_l ~ N(0, I / gamma)
//     z_nl ~ Bernoulli(pi_n)     s_nl ~ N(0, 1 / tau)     pi_n ~ Beta     tau, gamma ~ Gamma
//
// The stage starts from the first one's atoms and noise and from codes that are all off. In its burn-in the noise is
// lowered to its level (pass/noise_cooling.hpp) while the atoms are held fixed. Then the least probable codes begin
// anew every few sweeps (pass/on_off_restart.hpp), and an atom that is missing replaces one that is not needed
// (missing_atom.hpp). After burn-in every sweep is exact.
#pragma once

#include "learners/chains/chains_run.hpp"
#include "learners/on_off_model.hpp"
#include "pass/code_pass.hpp"
#include "pass/noise_cooling.hpp"

namespace sbdl {

class OnOffStage {
public:
    /// Atoms need not have unit norm; zero atoms are not allowed. `burn_in` is this stage's own.
    OnOffStage(CodePass& pass, const OnOffHyper& hyper, const Mat& atoms, double noise_precision, int burn_in);

    /// Sweep number `sweep` of this stage, from 0. `draw` names its random numbers.
    ChainSweep sweep(int sweep, const OnOffNumbers& draw, const Vec* scale);

    [[nodiscard]] const OnOffState& state() const { return state_; }
    [[nodiscard]] const Vec& code_energy() const { return sums_.code_energy; }
    /// 1 for atoms whose place a missing one has taken, else 0.
    [[nodiscard]] const Vec& replaced() const { return replaced_; }
    void archive(StateArchive& archive);

private:
    /// What happens between the sweeps of burn-in, once the noise is at its level.
    void repair(int sweep, const OnOffNumbers& draw);

    CodePass& pass_;
    OnOffHyper hyper_;
    NoiseCooling cooling_;
    int burn_in_;
    OnOffState state_;
    OnOffSums sums_;
    Vec replaced_;
};

}  // namespace sbdl
