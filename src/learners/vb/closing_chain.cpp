#include "learners/vb/closing_chain.hpp"

#include <algorithm>
#include <cmath>

#include "learners/chains/pooling.hpp"
#include "learners/on_off_model.hpp"
#include "sbdl/settling.hpp"

namespace sbdl {
namespace {

// A chain of its own for the random generator: the start was chain 0.
constexpr std::uint32_t closing_chain_number = 1;
constexpr int least_judged_draws = 100;

/// The chain's atoms have unit norm. Those that VB has switched off get some direction; their codes stay off.
Mat without_zero_atoms(Mat atoms) {
    for (Eigen::Index n = 0; n < atoms.cols(); ++n)
        if (atoms.col(n).isZero(0.0)) atoms(n % atoms.rows(), n) = 1.0;
    return atoms;
}

}  // namespace

ClosingChain::ClosingChain(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Mat& atoms,
                           double noise_precision, bool reconstruct)
    : pass_(pass),
      seed_(seed),
      reconstruct_(reconstruct),
      burn_in_(options.closing_sweeps / 2),
      draws_(options.closing_sweeps - burn_in_),
      most_sweeps_(options.most_closing_sweeps),
      vb_atoms_(unit_columns(atoms)),
      in_use_((vb_atoms_.colwise().squaredNorm().transpose().array() > 0.0).cast<double>()),
      stage_(pass, on_off_hyper(options), without_zero_atoms(atoms), noise_precision, burn_in_) {}

void ClosingChain::begin_keeping(bool record) {
    Mat start = without_zero_atoms(vb_atoms_);  // fixes the signs
    for (Eigen::Index n = 0; n < start.cols(); ++n)
        if (stage_.replaced()[n] > 0.0) start.col(n) = stage_.state().D.col(n);
    in_use_ = in_use_.cwiseMax(stage_.replaced());
    record_ = {};
    record_.average = PosteriorAverage(start);
    const double noise_sd = 1.0 / std::sqrt(stage_.state().noise_precision);
    record_.atoms = AtomWatch(stage_.state().D, determined_atoms(start.rows(), code_rms(), noise_sd, scale().signals));
    record_.probability = Vec::Zero(start.cols());
    if (reconstruct_) record_.reconstruction = Mat::Zero(start.rows(), static_cast<Eigen::Index>(pass_.signal_count()));
    if (record) pass_.begin_record(true);  // VB's own codes are not wanted any more
}

double ClosingChain::sweep(bool record) {
    if (made_ == burn_in_) begin_keeping(record);
    const bool kept = made_ >= burn_in_;
    Vec scale;
    if (kept && record) scale = pass_.unit() * in_use_.cwiseProduct(average().signed_norm(stage_.state().D));
    const ChainSweep made = stage_.sweep(made_,
                                         {.seed = seed_,
                                          .sweep = static_cast<std::uint32_t>(made_),
                                          .chain = closing_chain_number,
                                          .support = Purpose::on_off_support,
                                          .value = Purpose::on_off_value,
                                          .stride = 13},
                                         scale.size() > 0 ? &scale : nullptr);
    if (kept) keep(made);
    ++made_;
    if (done()) plan_more_draws();
    return made.gamma;
}

void ClosingChain::plan_more_draws() {
    const int left = most_sweeps_ - made_;
    if (left <= 0) return;
    const Diagnostics found = diagnostics();
    if (worst_rhat(found) > mixed_rhat) {
        if (left < 2 * draws_) return;
        burn_in_ = made_;  // it was still on its way: these draws are forgotten
        draws_ *= 2;
    } else if (const auto needed = draws_to_settle(found, draws_, least_judged_draws)) {
        draws_ = std::clamp(*needed, draws_ + 1, draws_ + left);
    }
}

void ClosingChain::keep(const ChainSweep& made) {
    const double noise_sd = 1.0 / std::sqrt(made.gamma);
    record_.average.add(stage_.state().D, stage_.code_energy(), static_cast<double>(pass_.signal_count()), noise_sd);
    record_.code_precision += stage_.state().code_precision;
    record_.probability += stage_.state().probability;
    record_.noise_sd.push_back(noise_sd);
    record_.log_joint.push_back(made.log_joint);
    record_.code_rms.push_back(code_rms().norm());
    record_.mean_nonzeros.push_back(made.mean_nonzeros);
    record_.atoms.add(stage_.state().D);
    if (reconstruct_) record_.reconstruction += pass_.reconstruct_all(stage_.state().D);
}

Diagnostics ClosingChain::diagnostics() const {
    return diagnose({record_}, scale());
}

ChainScale ClosingChain::scale() const {
    return {.signals = static_cast<double>(pass_.signal_count()), .unit = 1.0};
}

Vec ClosingChain::code_rms() const {
    return (stage_.code_energy() / static_cast<double>(pass_.signal_count())).cwiseSqrt();
}

Mat ClosingChain::atoms() const {
    Mat atoms = vb_atoms_;
    const Mat drawn = average().mean_atoms();
    for (Eigen::Index n = 0; n < atoms.cols(); ++n)
        if (stage_.replaced()[n] > 0.0) atoms.col(n) = drawn.col(n);
    return atoms;
}

void ClosingChain::archive(StateArchive& archive) {
    archive("made", made_);
    archive("burn_in", burn_in_);
    archive("in_use", in_use_);
    archive("stage", stage_);
    archive("draws", draws_);
    archive("record", record_);
}

}  // namespace sbdl
