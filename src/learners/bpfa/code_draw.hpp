// A sweep over the code entries of signals, everything else held. One entry after the other, on or off and its value
// together: with c = d^T r of the residual r without the entry's own share, e the noise's and g the codes' precision,
// and p = g + e d^T d,
//
//     ln odds of on = ln(pi / (1 - pi)) + (ln(g / p) + e^2 c^2 / p) / 2,       x | on ~ N(e c / p, 1 / p)
//
// Only observed entries of a signal count in the products. Signals are independent given the rest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learners/bpfa/bpfa_state.hpp"
#include "random/stream.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class CodeDraw {
public:
    /// The state must outlive this.
    CodeDraw(const BpfaState& state, const BpfaDraw& draw);

    /// What one thread works with.
    struct Bench {
        Mat residual;       // of the signals of a block
        Mat correlations;   // D^T residual
        Vec code;           // of the signal at hand, every atom
        Mat seen_atoms;     // the observed entries of the atoms
        Vec seen_residual;  // and of the residual
    };

    /// Replaces the codes of consecutive signals, the first of which is number `first`, and appends the new ones to
    /// `drawn`; `old` are the codes from entry `old_first` on. `signals` has a signal a column, NaN where an entry is
    /// missing; it becomes the residual, 0 where missing. Signals without any observed entry get no code.
    void block(std::size_t first, Eigen::Ref<Mat> signals, const SparseCodes& old, SparseCodes& drawn,
               Bench& bench) const;

private:
    class Entries;

    void complete_signal(Entries& entries, Eigen::Ref<Vec> correlations, Vec& code) const;
    void gappy_signal(Entries& entries, const Eigen::Ref<const Vec>& residual, Bench& bench) const;

    const BpfaState& state_;
    BpfaDraw draw_;
    Mat gram_;
    Vec prior_log_odds_;
};

}  // namespace sbdl
