#include "learners/chains/chains_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
    archive("code_precision", code_precision);
    archive("reconstruction", reconstruction);
    bool with_codes = codes.has_value();
    archive("with_codes", with_codes);
    if (with_codes && !codes) codes.emplace();
    if (with_codes) archive("codes", *codes);
}

ChainsRun::ChainsRun(ChainPlan plan, MakeChain make, FillModel fill)
    : plan_(std::move(plan)), make_(std::move(make)), fill_(std::move(fill)), chain_(make_(0)) {}

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
    if (sweep_ == sweeps()) end_chain();
    return report;
}

void ChainsRun::begin_keeping() {
    record_.average = PosteriorAverage(chain_->dictionary());
    chain_->begin_keeping(record_, ended_.empty() ? nullptr : &ended_.front());
}

void ChainsRun::keep() {
    record_.average.add(chain_->dictionary(), chain_->code_energy(), plan_.signals, last_noise_sd_);
    chain_->keep(record_);
}

void ChainsRun::end_chain() {
    if (!record_.kept()) {  // stopped in burn-in: use what there is
        begin_keeping();
        keep();
    }
    chain_->end(record_);
    record_.chain = number_;
    record_.dictionary = atoms();
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

void ChainsRun::finish(TrainResult& result) {
    if (chain_ && sweep_ > 0) end_chain();
    // Labels differ between chains, so atoms are not averaged across them: report the chain with the highest mean log
    // joint density. A chain stopped in burn-in is reported only when there is no other, because its density belongs to
    // a different target.
    const auto best = std::max_element(ended_.begin(), ended_.end(), [](const ChainRecord& x, const ChainRecord& y) {
        return x.kept() != y.kept() ? y.kept() : x.mean_log_joint() < y.mean_log_joint();
    });
    Model& model = result.model;
    const PosteriorAverage& average = best->average;
    model.dictionary = to_rows(best->dictionary);
    model.dictionary_std = to_rows(average.atom_std());
    model.atom_norm = to_vector(average.mean_norm());
    model.atom_usage = to_vector(plan_.unit * average.usage());
    model.noise_sd = average.noise_sd();
    model.noise_sd_std = average.noise_sd_std();
    if (best->codes && best->codes->count() > 0) {
        model.codes = best->codes->mean();
        model.codes_std = best->codes->std();
        model.codes_probability = best->codes->probability();
    }
    fill_(*best, result);
    model.diagnostics = diagnose(ended_);
}

void ChainsRun::archive(StateArchive& archive) {
    auto ended = static_cast<std::uint32_t>(ended_.size());
    archive("ended", ended);
    if (archive.loading()) ended_.assign(ended, {});
    for (ChainRecord& record : ended_) archive("chain", record);
    archive("number", number_);
    archive("sweep", sweep_);
    archive("record", record_);
    archive("last_noise_sd", last_noise_sd_);
    bool at_work = chain_ != nullptr;
    archive("at_work", at_work);
    if (archive.loading()) chain_ = at_work ? make_(number_) : nullptr;
    if (at_work && plan_.pass) archive("pass", *plan_.pass);
    if (at_work) archive("state", *chain_);
}

}  // namespace sbdl
