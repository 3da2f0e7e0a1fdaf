#include "learners/chains/chains_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnostics/convergence.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

Diagnostics diagnose(const std::vector<ChainRecord>& chains) {
    std::vector<std::vector<double>> noise, log_joint;
    for (const ChainRecord& chain : chains) {
        noise.push_back(chain.noise_sd);
        log_joint.push_back(chain.log_joint);
    }
    return {.noise_rhat = split_rhat(noise),
            .noise_ess = effective_sample_size(noise),
            .objective_rhat = split_rhat(log_joint),
            .objective_ess = effective_sample_size(log_joint)};
}

}  // namespace

void check_single_start(const Context& context, int chains) {
    if (context.start != nullptr && chains != 1)
        throw InputError(fmt::format("chains is {}, must be 1 when a run starts from a model", chains));
}

double ChainRecord::mean_log_joint() const {
    double sum = 0.0;
    for (const double value : log_joint) sum += value / static_cast<double>(log_joint.size());
    return sum;
}

void ChainRecord::archive(StateArchive& archive) {
    archive("chain", chain);
    archive("average", average);
    archive("noise_sd", noise_sd);
    archive("log_joint", log_joint);
    archive("dictionary", dictionary);
    archive("code_rate", code_rate);
    archive("probability", probability);
    archive("reconstruction", reconstruction);
    bool with_codes = codes.has_value();
    archive("with_codes", with_codes);
    if (with_codes && !codes) codes.emplace();
    if (with_codes) archive("codes", *codes);
}

ChainsRun::ChainsRun(const ChainPlan& plan, MakeChain make, FillModel fill)
    : plan_(plan), make_(std::move(make)), fill_(std::move(fill)), chain_(make_(0, nullptr)) {}

SweepReport ChainsRun::sweep() {
    if (!chain_) chain_ = make_(number_, first());
    const bool burn_in = sweep_ < plan_.burn_in;
    if (sweep_ == plan_.burn_in) chain_->begin_keeping();
    const bool kept = !burn_in && (sweep_ - plan_.burn_in + 1) % plan_.thin == 0;
    const ChainSweep made = chain_->sweep(sweep_, kept);
    if (kept) {
        noise_sd_.push_back(made.noise_sd);
        log_joint_.push_back(made.log_joint);
        chain_->keep(made.noise_sd);
    }
    last_noise_sd_ = made.noise_sd;
    SweepReport report{.chain = static_cast<int>(number_),
                       .sweep = ++sweep_,
                       .phase = burn_in ? Phase::burn_in : Phase::kept,
                       .objective = made.log_joint,
                       .noise_sd = made.noise_sd,
                       .atoms_refreshed = made.refreshed,
                       .mean_nonzeros = made.mean_nonzeros,
                       .dictionary = {}};
    if (sweep_ == sweeps()) end_chain();
    return report;
}

void ChainsRun::end_chain() {
    if (log_joint_.empty()) {  // stopped in burn-in: what there is
        chain_->begin_keeping();
        chain_->keep(last_noise_sd_);
    }
    ended_.push_back(chain_->take_record());
    ended_.back().noise_sd = std::exchange(noise_sd_, {});
    ended_.back().log_joint = std::exchange(log_joint_, {});
    chain_.reset();
    ++number_;
    sweep_ = 0;
}

Matrix ChainsRun::estimate() const {
    return to_rows(chain_ ? chain_->estimate() : ended_.back().dictionary);
}

void ChainsRun::finish(TrainResult& result) {
    if (chain_ && sweep_ > 0) end_chain();
    // Labels differ between chains, so atoms are not averaged across them: report the chain with the highest mean log
    // joint density. One that was stopped in burn-in is reported only when there is no other, since its density is that
    // of another target.
    const auto best = std::max_element(ended_.begin(), ended_.end(), [](const ChainRecord& x, const ChainRecord& y) {
        return x.kept() != y.kept() ? y.kept() : x.mean_log_joint() < y.mean_log_joint();
    });
    fill_(*best, result);
    result.model.diagnostics = diagnose(ended_);
}

void ChainsRun::archive(StateArchive& archive) {
    auto ended = static_cast<std::uint32_t>(ended_.size());
    archive("ended", ended);
    if (archive.loading()) ended_.assign(ended, {});
    for (ChainRecord& record : ended_) archive("chain", record);
    archive("number", number_);
    archive("sweep", sweep_);
    archive("kept_noise_sd", noise_sd_);
    archive("kept_log_joint", log_joint_);
    archive("last_noise_sd", last_noise_sd_);
    bool at_work = chain_ != nullptr;
    archive("at_work", at_work);
    if (archive.loading()) chain_ = at_work ? make_(number_, first()) : nullptr;
    if (at_work) archive("state", *chain_);
}

}  // namespace sbdl
