// The run of every method that samples: chains one after the other, each burned in and then averaged.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "learners/chains/chain_record.hpp"
#include "learners/chains/determined_atoms.hpp"
#include "pass/code_pass.hpp"
#include "run/run.hpp"

namespace sbdl {

/// The results of one sweep.
struct ChainSweep {
    double log_joint = 0.0;  ///< of everything, given the signals
    double gamma = 0.0;      ///< the noise precision, in the learner's units
    int refreshed = 0;       ///< atoms replaced, in burn-in
    double mean_nonzeros = std::numeric_limits<double>::quiet_NaN();
};

class Chain {
public:
    virtual ~Chain() = default;

    /// Sweep number `sweep` (from 0). `scale` is given when the codes are to be recorded as they are drawn; entry n is
    /// multiplied by scale[n].
    virtual ChainSweep sweep(int sweep, const Vec* scale = nullptr) = 0;
    [[nodiscard]] virtual const Mat& dictionary() const = 0;
    /// Sum of squares of each atom's codes in the last sweep.
    [[nodiscard]] virtual const Vec& code_energy() const = 0;

    /// Burn-in is over; the next sweep may be kept. `first` is the record of chain 0, once it has ended.
    virtual void begin_keeping(ChainRecord& record, const ChainRecord* first) = 0;
    /// Adds to the record what only this kind of chain has.
    virtual void keep(ChainRecord&) {}
    /// The same, when the chain ends.
    virtual void end(ChainRecord&) {}
    virtual void archive(StateArchive& archive) = 0;
};

struct ChainPlan {
    int chains = 1, burn_in = 0, draws = 1, thin = 1;
    int most_draws = 0;   ///< a chain that has not settled goes on, at most to this many; 0: it does not
    bool average = true;  ///< the estimate is the mean of the kept sweeps, not the last one
    bool keep_codes = false;
    double signals = 0.0;            ///< how many there are
    double unit = 1.0;               ///< the signals are divided by this
    std::shared_ptr<CodePass> pass;  ///< used by the chains, if any; part of their state
};

/// Throws InputError for several chains from one warm start: they would agree whether or not they had converged.
void check_single_start(const Context& context, int chains);

class ChainsRun final : public Run {
public:
    /// Makes the chain with the given number.
    using MakeChain = std::function<std::unique_ptr<Chain>(std::uint32_t number)>;
    /// Sets what only models of this method have, from the chain that is reported, or from several in one.
    using FillModel = std::function<void(const ChainRecord& best, TrainResult& result)>;

    ChainsRun(ChainPlan plan, MakeChain make, FillModel fill);

    [[nodiscard]] int sweeps() const override { return plan_.burn_in + draws_; }
    [[nodiscard]] int chains() const override { return plan_.chains; }
    SweepReport sweep() override;
    [[nodiscard]] bool done() const override { return number_ == static_cast<std::uint32_t>(plan_.chains); }
    [[nodiscard]] Matrix estimate() const override { return to_rows(atoms()); }
    [[nodiscard]] Matrix reconstruct(std::span<const std::size_t> signals) const override;
    void finish(TrainResult& result) override;
    void archive(StateArchive& archive) override;

private:
    [[nodiscard]] Mat atoms() const;
    [[nodiscard]] Vec usage() const;  // root mean square code of each unit-norm atom in the last sweep
    [[nodiscard]] ChainScale scale() const { return {.signals = plan_.signals, .unit = plan_.unit}; }
    void begin_keeping();
    void keep();
    void plan_more_draws();
    void end_chain();

    ChainPlan plan_;
    MakeChain make_;
    FillModel fill_;
    std::vector<ChainRecord> ended_;
    std::uint32_t number_ = 0;      // of the current chain
    std::unique_ptr<Chain> chain_;  // the current chain; null when all have ended
    ChainRecord record_;            // its record
    int sweep_ = 0;                 // its next sweep, from 0
    int draws_ = 0;                 // as planned now; all chains have those of the first
    double last_noise_sd_ = 0.0;
    Mat last_atoms_;  // of the chain that ended last: its last sweep can still be asked for
};

}  // namespace sbdl
