// The end of variational Bayes with on/off codes: a short Gibbs chain of the same model (docs/math.md, O1 to O5) that
// starts at VB's atoms. q treats the entries of a code as independent, so its noise is too large and its standard
// deviations are too small. The draws of the chain have neither fault.
//
// The estimate of the atoms stays VB's, but for those whose place a missing atom has taken in the chain's burn-in:
// codes and noise are the chain's, and must belong to the atoms that are reported.
#pragma once

#include "learners/chains/chain_record.hpp"
#include "learners/chains/determined_atoms.hpp"
#include "learners/gibbs/on_off_stage.hpp"
#include "sbdl/vb.hpp"

namespace sbdl {

class ClosingChain {
public:
    /// `atoms` are VB's, of any length; zero for those that are switched off.
    ClosingChain(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Mat& atoms, double noise_precision,
                 bool reconstruct = false);

    /// One more sweep. In the kept ones, with `record`, the pass records the codes. Returns the noise precision.
    double sweep(bool record);

    [[nodiscard]] bool done() const { return made_ == sweeps(); }
    /// All that are planned. They become more when the chain has not settled.
    [[nodiscard]] int sweeps() const { return burn_in_ + draws_; }
    /// Whether there are draws enough for standard deviations.
    [[nodiscard]] bool has_spread() const { return average().count() >= 2; }
    /// Of the kept draws.
    [[nodiscard]] Diagnostics diagnostics() const;

    /// Of the last sweep.
    [[nodiscard]] const Mat& dictionary() const { return stage_.state().D; }
    /// Of the kept draws, in the learner's units.
    [[nodiscard]] const PosteriorAverage& average() const { return record_.average; }
    /// The estimate, atoms of unit norm; zero for those that are switched off.
    [[nodiscard]] Mat atoms() const;
    /// 0 for atoms that are switched off, else 1.
    [[nodiscard]] const Vec& in_use() const { return in_use_; }
    /// Root mean square distance of the drawn atoms' entries from the estimate; zero for atoms that are switched off.
    [[nodiscard]] Mat atom_std() const { return average().rms_distance(atoms()) * in_use_.asDiagonal(); }
    /// Root mean square code of each atom.
    [[nodiscard]] Vec usage() const { return in_use_.cwiseProduct(average().usage()); }
    [[nodiscard]] double code_precision() const { return record_.code_precision / average().count(); }
    [[nodiscard]] Vec probability() const { return record_.probability / average().count(); }
    /// The posterior mean of every signal, as columns, if it was wanted.
    [[nodiscard]] Mat reconstruction() const { return record_.reconstruction / average().count(); }

    /// The pass is not included.
    void archive(StateArchive& archive);

private:
    void begin_keeping(bool record);
    void keep(const ChainSweep& made);
    /// When all are made that were planned.
    void plan_more_draws();
    /// In the learner's units.
    [[nodiscard]] ChainScale scale() const;
    /// Root mean square code of each atom in the last sweep.
    [[nodiscard]] Vec code_rms() const;

    CodePass& pass_;
    std::uint64_t seed_;
    bool reconstruct_;
    int burn_in_, draws_, most_sweeps_;
    int made_ = 0;
    Mat vb_atoms_;  // of unit norm, or zero
    Vec in_use_;
    OnOffStage stage_;
    ChainRecord record_;
};

}  // namespace sbdl
