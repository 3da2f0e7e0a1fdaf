// One chain of SBDL-Gibbs. A sweep draws, in this order (any order of the four is a valid sweep; this one yields the
// exact residual without a second pass):
//
//     X | D, alpha, gamma     alpha | X     in one pass over the signals (G1, G2)
//     gamma | X, D            from that pass's residual (G3)
//     D | X, gamma            from its statistics (G4)
//
// With the prior on-off these sweeps are the search, the first part of burn-in. The rest of the chain, with everything
// that is kept, is an OnOffStage.
#pragma once

#include "learners/chains/burn_in.hpp"
#include "learners/chains/chains_run.hpp"
#include "learners/gibbs/on_off_stage.hpp"
#include "learners/start.hpp"
#include "pass/code_pass.hpp"
#include "sbdl/gibbs.hpp"

namespace sbdl {

class GibbsChain final : public Chain {
public:
    GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain,
               const Model* start = nullptr, bool reconstruct = false);

    /// Sweep number `sweep` (from 0). In burn-in the noise is annealed, b follows it and atoms are refreshed; after it,
    /// this is the exact sampler with everything fixed. With `scale` the pass records the codes.
    ChainSweep sweep(int sweep, const Vec* scale = nullptr) override;

    [[nodiscard]] const Mat& dictionary() const override { return stage_ ? stage_->state().D : D_; }
    [[nodiscard]] double code_rate() const { return code_prior_.rate; }
    [[nodiscard]] const Vec& code_energy() const override { return stage_ ? stage_->code_energy() : code_energy_; }
    /// The state of the on/off stage. Null before it and with the prior student-t.
    [[nodiscard]] const OnOffState* on_off_state() const { return stage_ ? &stage_->state() : nullptr; }

    /// With the prior student-t all chains keep sweeps with the code rate of the first, so that they sample the same
    /// posterior.
    void begin_keeping(ChainRecord& record, const ChainRecord* first) override;
    void keep(ChainRecord& record) override;
    void end(ChainRecord& record) override;
    /// The pass is not included.
    void archive(StateArchive& archive) override;

private:
    GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain, StartPoint start);
    ChainSweep search(int sweep, const Vec* scale);
    void begin_stage();
    void tie_code_rate();
    /// The sweep's number for the random generator, which allots 24 bits to it.
    [[nodiscard]] std::uint32_t draw_number(int sweep) const {
        return (sweeps_before_ + static_cast<std::uint32_t>(sweep)) & 0xFFFFFFu;
    }
    [[nodiscard]] double log_joint(const SufficientStats& stats) const;

    CodePass& pass_;
    GibbsOptions options_;
    std::uint64_t seed_;
    std::uint32_t chain_;
    std::uint32_t sweeps_before_;
    int search_sweeps_;  // the burn-in of the search; all sweeps after it are the on/off stage's, if that is the prior
    int held_sweeps_ = 0;       // at the start of burn-in, with the initial atoms fixed
    bool reconstruct_ = false;  // the record also has the sum of the signals as drawn, without noise and gaps
    Mat D_;
    double gamma_;
    GammaPrior code_prior_;
    NoiseCap cap_;
    Vec code_energy_;
    std::optional<OnOffStage> stage_;
};

}  // namespace sbdl
