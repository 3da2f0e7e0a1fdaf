#include "learners/vb/closing_chain.hpp"

#include <cmath>

#include "learners/on_off_model.hpp"

namespace sbdl {
namespace {

// A chain of its own for the random generator: the start was chain 0.
constexpr std::uint32_t closing_chain_number = 1;

/// The chain's atoms have unit norm. Those that VB has switched off get some direction; their codes stay off.
Mat without_zero_atoms(Mat atoms) {
    for (Eigen::Index n = 0; n < atoms.cols(); ++n)
        if (atoms.col(n).isZero(0.0)) atoms(n % atoms.rows(), n) = 1.0;
    return atoms;
}

}  // namespace

ClosingChain::ClosingChain(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Mat& atoms,
                           double noise_precision)
    : pass_(pass),
      seed_(seed),
      burn_in_(options.closing_sweeps / 2),
      draws_(options.closing_sweeps - burn_in_),
      vb_atoms_(unit_columns(atoms)),
      in_use_((vb_atoms_.colwise().squaredNorm().transpose().array() > 0.0).cast<double>()),
      stage_(pass, on_off_hyper(options), without_zero_atoms(atoms), noise_precision, burn_in_),
      probability_sum_(Vec::Zero(atoms.cols())) {}

void ClosingChain::begin_keeping(bool record) {
    Mat start = without_zero_atoms(vb_atoms_);  // fixes the signs
    for (Eigen::Index n = 0; n < start.cols(); ++n)
        if (stage_.replaced()[n] > 0.0) start.col(n) = stage_.state().D.col(n);
    in_use_ = in_use_.cwiseMax(stage_.replaced());
    average_ = PosteriorAverage(start);
    if (record) pass_.begin_record(true);  // VB's own codes are not wanted any more
}

double ClosingChain::sweep(bool record) {
    if (made_ == burn_in_) begin_keeping(record);
    const bool kept = made_ >= burn_in_;
    Vec scale;
    if (kept && record) scale = pass_.unit() * in_use_.cwiseProduct(average_.signed_norm(stage_.state().D));
    const ChainSweep made = stage_.sweep(made_,
                                         {.seed = seed_,
                                          .sweep = static_cast<std::uint32_t>(made_),
                                          .chain = closing_chain_number,
                                          .support = Purpose::on_off_support,
                                          .value = Purpose::on_off_value,
                                          .stride = 13},
                                         scale.size() > 0 ? &scale : nullptr);
    if (kept) {
        average_.add(stage_.state().D, stage_.code_energy(), static_cast<double>(pass_.signal_count()),
                     1.0 / std::sqrt(made.gamma));
        code_precision_sum_ += stage_.state().code_precision;
        probability_sum_ += stage_.state().probability;
    }
    ++made_;
    return made.gamma;
}

Mat ClosingChain::atoms() const {
    Mat atoms = vb_atoms_;
    const Mat drawn = average_.mean_atoms();
    for (Eigen::Index n = 0; n < atoms.cols(); ++n)
        if (stage_.replaced()[n] > 0.0) atoms.col(n) = drawn.col(n);
    return atoms;
}

void ClosingChain::archive(StateArchive& archive) {
    archive("made", made_);
    archive("in_use", in_use_);
    archive("stage", stage_);
    archive("average", average_);
    archive("code_precision_sum", code_precision_sum_);
    archive("probability_sum", probability_sum_);
}

}  // namespace sbdl
