// One chain of BPFA: on/off codes (pass/on_off_codes.hpp) with priors on everything else,
//
//     probability_n ~ Beta(usage_on, usage_off)       d_n ~ N(0, I / M)
//
// and Gamma priors on both precisions. A sweep draws, in this order,
//
//     all codes, signal by signal       (pass/on_off_codes.hpp)
//     the atoms in turn                 (atom_draw.hpp)
//     the atoms' probabilities, the precision of the codes, the precision of the noise
//
// Each is drawn given all the others, except that the values of entries that are off are integrated out throughout.
#pragma once

#include "learners/bpfa/atom_draw.hpp"
#include "learners/chains/burn_in.hpp"
#include "learners/chains/chains_run.hpp"
#include "learners/on_off_model.hpp"
#include "pass/signal_scan.hpp"
#include "pass/signal_share.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/context.hpp"

namespace sbdl {

class BpfaChain final : public Chain {
public:
    /// Each rank works on a part of the signals.
    BpfaChain(const SignalShare& signals, const SignalFacts& observed, const BpfaOptions& options,
              const Context& context, std::uint32_t chain);

    /// Sweep number `sweep` (from 0). In burn-in the noise is annealed and atoms are refreshed; after it, this is the
    /// exact sampler. Codes are recorded by keep(), with the atoms as they are after the sweep.
    ChainSweep sweep(int sweep, const Vec* = nullptr) override;

    [[nodiscard]] const OnOffState& state() const { return state_; }
    [[nodiscard]] const SparseCodes& codes() const { return codes_; }
    [[nodiscard]] const Mat& dictionary() const override { return state_.D; }
    [[nodiscard]] const Vec& code_energy() const override { return code_energy_; }

    void begin_keeping(ChainRecord& record, const ChainRecord*) override;
    void keep(ChainRecord& record) override;
    /// Residuals are recomputed in every sweep.
    void archive(StateArchive& archive) override;

private:
    void start(const Model* model);
    void draw_codes(const OnOffNumbers& draw);
    void count_codes();
    /// Of all ranks.
    [[nodiscard]] double residual_sq();
    /// Signal l of all ranks, with missing entries set to zero.
    [[nodiscard]] Vec signal(std::size_t l);
    /// Draws what all signals share; returns the noise precision, which the cap may have lowered.
    double draw_shared(const OnOffNumbers& draw, double residual2, bool burn_in);
    [[nodiscard]] OnOffHyper hyper() const;
    [[nodiscard]] OnOffSums sums(double residual_sq) const;
    int refresh();
    void archive_codes(StateArchive& archive);
    [[nodiscard]] double log_joint(double residual2) const;
    /// Root mean square of the observed values in the learner's units.
    [[nodiscard]] double rms() const { return observed_.root_mean_square / signals_.unit(); }

    RankGroup ranks_;
    SignalShare all_, signals_;  // of all ranks, and of this one
    std::size_t first_block_;    // of this rank's signals
    SignalFacts observed_;
    BpfaOptions options_;
    bool reconstruct_;
    std::uint64_t seed_;
    std::uint32_t chain_;
    std::uint32_t sweeps_before_ = 0;
    int held_sweeps_ = 0;           // at the start of burn-in, with the initial atoms fixed
    double known_precision_ = 0.0;  // of the noise, if the warm start has it
    int threads_;
    OnOffState state_;
    SparseCodes codes_;
    std::vector<SparseCodes> blocks_;
    Residuals residuals_;
    Vec users_, code_energy_;  // per atom: signals that use it, sum of their squared codes
    NoiseCap cap_;
};

}  // namespace sbdl
