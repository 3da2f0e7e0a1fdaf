// One chain of BPFA. A sweep draws, in this order,
//
//     all codes, signal by signal       (code_draw.hpp)
//     the atoms in turn                 (atom_draw.hpp)
//     the atoms' probabilities, the precision of the codes, the precision of the noise
//
// Each is drawn given all the others, except that the values of entries that are off are integrated out throughout.
#pragma once

#include "learners/bpfa/atom_draw.hpp"
#include "learners/bpfa/bpfa_state.hpp"
#include "learners/chains/noise_cap.hpp"
#include "pass/signal_scan.hpp"
#include "pass/signal_share.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/context.hpp"

namespace sbdl {

/// What a sweep leaves for observers.
struct BpfaSweep {
    double log_joint = 0.0;  ///< of signals, codes and all the rest
    double mean_nonzeros = 0.0;
    int refreshed = 0;
};

class BpfaChain {
public:
    BpfaChain(const SignalShare& signals, const SignalFacts& observed, const BpfaOptions& options,
              const Context& context, std::uint32_t chain);

    /// Sweep number `sweep` (from 0). In burn-in the noise is annealed and atoms are refreshed; after it, this is the
    /// exact sampler.
    BpfaSweep sweep(int sweep);

    [[nodiscard]] const BpfaState& state() const { return state_; }
    [[nodiscard]] const SparseCodes& codes() const { return codes_; }
    /// Sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] const Vec& code_energy() const { return code_energy_; }

    /// Residuals are made anew in every sweep.
    void archive(StateArchive& archive);

private:
    void start(const Model* model);
    void draw_codes(const BpfaDraw& draw);
    void count_codes();
    /// Draws what all signals share; returns the noise precision that the cap may have lowered.
    double draw_shared(const BpfaDraw& draw, double residual2, bool burn_in);
    int refresh();
    [[nodiscard]] double log_joint(double residual2) const;
    /// Signal l with its missing entries set to zero.
    [[nodiscard]] Vec filled_signal(std::size_t l) const;
    /// Root mean square of the observed values in the learner's units.
    [[nodiscard]] double rms() const { return observed_.root_mean_square / signals_.unit; }

    SignalShare signals_;
    SignalFacts observed_;
    BpfaOptions options_;
    std::uint64_t seed_;
    std::uint32_t chain_;
    std::uint32_t sweeps_before_ = 0;
    int held_sweeps_ = 0;           // at the start of burn-in, with the atoms as they came
    double known_precision_ = 0.0;  // of the noise, where the warm start has it
    int threads_;
    BpfaState state_;
    SparseCodes codes_;
    std::vector<SparseCodes> blocks_;
    Residuals residuals_;
    Vec users_, code_energy_;  // of each atom: signals that use it, sum of their squared codes
    NoiseCap cap_;
};

}  // namespace sbdl
