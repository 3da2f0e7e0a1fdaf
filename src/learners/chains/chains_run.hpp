// The run of every method that samples: chains one after the other, each burned in and then averaged.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "learners/chains/chain.hpp"
#include "run/run.hpp"

namespace sbdl {

struct ChainPlan {
    int chains = 1, burn_in = 0, draws = 1, thin = 1;
};

/// Throws InputError for several chains from one warm start: they would agree without having found anything.
void check_single_start(const Context& context, int chains);

class ChainsRun final : public Run {
public:
    /// A chain by its number; `first` is the record of chain 0, once it has ended.
    using MakeChain = std::function<std::unique_ptr<Chain>(std::uint32_t number, const ChainRecord* first)>;
    /// Fills the model from the chain that is reported.
    using FillModel = std::function<void(ChainRecord& best, TrainResult& result)>;

    ChainsRun(const ChainPlan& plan, MakeChain make, FillModel fill);

    [[nodiscard]] int sweeps() const override { return plan_.burn_in + plan_.draws; }
    [[nodiscard]] int chains() const override { return plan_.chains; }
    SweepReport sweep() override;
    [[nodiscard]] bool done() const override { return number_ == static_cast<std::uint32_t>(plan_.chains); }
    [[nodiscard]] Matrix estimate() const override;
    void finish(TrainResult& result) override;
    void archive(StateArchive& archive) override;

private:
    [[nodiscard]] const ChainRecord* first() const { return ended_.empty() ? nullptr : &ended_.front(); }
    void end_chain();

    ChainPlan plan_;
    MakeChain make_;
    FillModel fill_;
    std::vector<ChainRecord> ended_;
    std::uint32_t number_ = 0;                  // of the chain at work
    std::unique_ptr<Chain> chain_;              // it; null when all have ended
    int sweep_ = 0;                             // its next one, from 0
    std::vector<double> noise_sd_, log_joint_;  // of its kept sweeps
    double last_noise_sd_ = 0.0;
};

}  // namespace sbdl
