#include "learners/chains/chains_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "learners/chains/pooling.hpp"
#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr int least_to_judge = 400;  // draws; a chain this short was not meant to settle

}  // namespace

void check_single_start(const Context& context, int chains) {
    if (context.start != nullptr && chains != 1)
        throw InputError(
            fmt::format("{} is {}, must be 1 when a run starts from a model", option_name("chains"), chains));
}

ChainsRun::ChainsRun(ChainPlan plan, MakeChain make, FillModel fill)
    : plan_(std::move(plan)), make_(std::move(make)), fill_(std::move(fill)), chain_(make_(0)), draws_(plan_.draws) {}

SweepReport ChainsRun::sweep() {
    if (!chain_) chain_ = make_(number_);
    const bool burn_in = sweep_ < plan_.burn_in;
    if (sweep_ == plan_.burn_in) begin_keeping();
    const bool kept = !burn_in && (sweep_ - plan_.burn_in + 1) % plan_.thin == 0;
    Vec scale;
    if (kept && plan_.keep_codes) scale = plan_.unit * record_.average.signed_norm(chain_->dictionary());
    const ChainSweep made = chain_->sweep(sweep_, scale.size() > 0 ? &scale : nullptr);
    last_noise_sd_ = plan_.unit / std::sqrt(made.gamma);
    if (kept) {
        record_.noise_sd.push_back(last_noise_sd_);
        record_.log_joint.push_back(made.log_joint);
        record_.code_rms.push_back(usage().norm());
        record_.mean_nonzeros.push_back(made.mean_nonzeros);
        record_.atoms.add(chain_->dictionary());
        keep();
    }
    SweepReport report{.chain = static_cast<int>(number_),
                       .sweep = ++sweep_,
                       .phase = burn_in ? Phase::burn_in : Phase::kept,
                       .objective = made.log_joint,
                       .noise_sd = last_noise_sd_,
                       .atoms_refreshed = made.refreshed,
                       .mean_nonzeros = made.mean_nonzeros,
                       .dictionary = {}};
    if (sweep_ == sweeps()) plan_more_draws();
    if (sweep_ == sweeps()) end_chain();
    return report;
}

void ChainsRun::plan_more_draws() {
    if (number_ > 0 || draws_ >= plan_.most_draws) return;
    const auto needed = draws_to_settle(diagnose({record_}, scale()), draws_, least_to_judge);
    if (!needed) return;
    const int whole = (*needed + plan_.thin - 1) / plan_.thin * plan_.thin;  // a sweep that is not kept is of no use
    draws_ = std::clamp(whole, draws_ + 1, plan_.most_draws);
}

void ChainsRun::begin_keeping() {
    const Mat& D = chain_->dictionary();
    const ChainRecord* first = ended_.empty() ? nullptr : &ended_.front();
    record_.average = PosteriorAverage(D);
    if (first == nullptr)
        record_.atoms = AtomWatch(D, determined_atoms(D.rows(), plan_.unit * usage(), last_noise_sd_, plan_.signals));
    else
        record_.atoms = AtomWatch(D, first->atoms);
    chain_->begin_keeping(record_, first);
}

Vec ChainsRun::usage() const {
    const Vec norms = chain_->dictionary().colwise().norm().transpose();
    return norms.cwiseProduct((chain_->code_energy() / plan_.signals).cwiseSqrt());
}

void ChainsRun::keep() {
    record_.average.add(chain_->dictionary(), chain_->code_energy(), plan_.signals, last_noise_sd_);
    chain_->keep(record_);
}

void ChainsRun::end_chain() {
    if (record_.average.count() == 0) {  // stopped in burn-in: the estimate is the last sweep's, without a spread
        begin_keeping();
        keep();
    }
    chain_->end(record_);
    record_.chain = number_;
    record_.dictionary = atoms();
    last_atoms_ = chain_->dictionary();
    ended_.push_back(std::exchange(record_, {}));
    chain_.reset();
    ++number_;
    sweep_ = 0;
}

Mat ChainsRun::atoms() const {
    if (!chain_) return ended_.back().dictionary;
    const Mat& D = chain_->dictionary();
    if (record_.average.count() == 0) return unit_columns(D);
    return plan_.average ? record_.average.mean_atoms() : record_.average.turned(D);
}

Matrix ChainsRun::reconstruct(std::span<const std::size_t> signals) const {
    if (!plan_.pass) return {};
    return to_rows(plan_.unit * plan_.pass->reconstruct(chain_ ? chain_->dictionary() : last_atoms_, signals));
}

void ChainsRun::finish(TrainResult& result) {
    if (chain_ && sweep_ > 0) end_chain();
    Model& model = result.model;
    model.diagnostics = diagnose(ended_, scale());
    PooledChains pooled = pool_chains(std::move(ended_), scale(), plan_.chains, plan_.average);
    const PosteriorAverage& average = pooled.record.average;
    if (average.count() > 0) model.diagnostics.pooled_chains = pooled.count;
    model.estimate = std::move(pooled.note);
    model.dictionary = to_rows(pooled.record.dictionary);
    model.dictionary_std = to_rows(average.atom_std());
    model.atom_norm = to_vector(average.mean_norm());
    model.atom_usage = to_vector(plan_.unit * average.usage());
    model.noise_sd = average.noise_sd();
    model.noise_sd_std = average.noise_sd_std();
    model.codes = std::move(pooled.codes);
    model.codes_std = std::move(pooled.codes_std);
    model.codes_probability = std::move(pooled.codes_probability);
    fill_(pooled.record, result);
    // However the method estimates the noise: of fewer than two draws there is no posterior to have a spread.
    if (average.count() < 2) model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
}

void ChainsRun::archive(StateArchive& archive) {
    const std::uint32_t ended = archive.count("ended", static_cast<std::uint32_t>(ended_.size()));
    if (archive.loading()) ended_.assign(ended, {});
    for (ChainRecord& record : ended_) archive("chain", record);
    archive("number", number_);
    archive("sweep", sweep_);
    archive("draws", draws_);
    archive("record", record_);
    archive("last_noise_sd", last_noise_sd_);
    bool at_work = chain_ != nullptr;
    archive("at_work", at_work);
    if (archive.loading()) chain_ = at_work ? make_(number_) : nullptr;
    if (at_work && plan_.pass) archive("pass", *plan_.pass);
    if (at_work) archive("state", *chain_);
}

}  // namespace sbdl
