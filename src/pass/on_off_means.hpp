// Variational codes whose entries are on or off (docs/math.md, W1), for signals y_l with M entries and atoms on the
// unit sphere,
//
//     q(x_nl):  off, x = 0, with probability 1 - w_nl;  on, x ~ N(m_nl, v), with probability w_nl
//
// Entries are updated one after another. Let r be the expected residual without the entry's own contribution,
// c = <d_n>^T r, and g, t the expected precisions of noise and codes. Then
//
//     v = 1 / (g + t),     m = g v c,     ln(w / (1 - w)) = <ln(pi_n / (1 - pi_n))> + (<ln t> + ln v + m^2 / v) / 2
//
// and <x> = w m is all that the next sweep has to know. Every update raises the bound, or leaves it.
//
// Where entries of y are missing (K5), c is the sum over those observed, and g is multiplied by their share of the
// atom, <|P d_n|^2>: v is different from entry to entry.
#pragma once

#include "kernels/kernel_set.hpp"

namespace sbdl {

/// What the pass needs besides signals and codes: expectations under q.
struct OnOffMeansSweep {
    const Mat* dictionary = nullptr;      ///< <D>, M x N
    const Vec* atom_spread = nullptr;     ///< 1 - |<d_n>|^2; not used with gaps
    const Vec* prior_log_odds = nullptr;  ///< <ln pi_n> - <ln(1 - pi_n)>
    double noise_precision = 1.0;
    double code_precision = 1.0;
    double log_code_precision = 0.0;  ///< <ln t>, which is not ln <t>
    const Mat* entry_var = nullptr;   ///< signals with gaps: the variance of each entry of the atoms; else null
    bool statistics = true;           ///< false: only the codes of complete signals are wanted
};

class OnOffMeans {
public:
    /// What `sweep` points to must outlive this object. Use it inside a ComputeScope.
    explicit OnOffMeans(const OnOffMeansSweep& sweep);

    /// v, the same for all entries of complete signals: atoms have unit norm.
    [[nodiscard]] double code_var() const { return code_var_; }

    /// Updates a block: replaces <x> in `view.codes`, where the last sweep left it, and puts variances and
    /// probabilities into `view.codes_var` and `view.codes_on`, if there is room; with gaps also residuals and what is
    /// observed. Adds the expected statistics, if they are wanted, but with gaps no Y X^T: atoms follow from the
    /// residuals. May run on several threads at once, each with its own stats and workspace.
    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const;

private:
    template <bool statistics>
    void complete_block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const;
    void gappy_block(const BlockView& view, SufficientStats& stats) const;

    OnOffMeansSweep sweep_;
    double code_var_;
    Vec log_prior_;  // of entries on: prior_log_odds + (<ln t> + ln v) / 2
    Mat mean_sq_;    // with gaps: <d_mn>^2
};

}  // namespace sbdl
