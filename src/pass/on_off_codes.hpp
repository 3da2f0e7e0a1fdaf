// Codes whose entries are on or off, for signals y_l with M entries,
//
//     y_l = sum_n d_n z_nl s_nl + w_l       w_l ~ N(0, I / noise_precision)
//     z_nl ~ Bernoulli(probability_n)       s_nl ~ N(0, 1 / code_precision)
//
// drawn with everything else fixed. Entry nl of the codes is x_nl = z_nl s_nl; for an entry that is off, s is
// integrated out and never stored. The kept sweeps of gibbs, BPFA and the re-estimation of the noise sample these
// codes; the posterior coder has its own sampler (support_chain.hpp).
//
// Entries are drawn one after another, the on/off state together with the value. Let r be the residual without the
// entry's own contribution, c = d^T r, e the precision of the noise, g that of the codes, and p = g + e d^T d. Then
//
//     ln odds of on = ln(pi / (1 - pi)) + (ln(g / p) + e^2 c^2 / p) / 2,       x | on ~ N(e c / p, 1 / p)
//
// Only observed entries of a signal count in the products. Signals are independent given the rest.
//
// Each sweep starts with a different entry. Internally, entries and atoms are stored in the order in which they are
// visited.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.hpp"
#include "coders/lasso.hpp"
#include "random/stream.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// Everything except the codes.
struct OnOffState {
    Mat D;  ///< M x N
    Vec probability;
    double code_precision = 1.0;
    double noise_precision = 1.0;
};

/// Which random numbers a sweep draws.
struct OnOffNumbers {
    std::uint64_t seed = 0;
    std::uint32_t sweep = 0;
    std::uint32_t chain = 0;
    Purpose support = Purpose::bpfa_support, value = Purpose::bpfa_value;
    std::uint32_t stride = 1;  ///< from the entry visited first to the first one of the next sweep
};

class OnOffSampler {
public:
    /// The state must outlive this object. `gram` is that of state.D, for callers whose atoms stay the same; without it
    /// it is computed here. Use this object inside a ComputeScope.
    OnOffSampler(const OnOffState& state, const OnOffNumbers& draw, const PaddedGram* gram = nullptr);

    /// The scratch of one thread.
    struct Bench {
        Mat residual;                   // of the signals of a block
        AlignedDoubles correlations;    // D^T residual, one padded row per signal
        AlignedDoubles uniform, limit;  // the same layout; see on_off_limits.hpp
        Vec code;                       // of the current signal, every entry
        std::vector<Eigen::Index> on;   // the entries that are on, in the order visited
        Mat seen_atoms;                 // the observed entries of the atoms
        Vec seen_residual;              // and of the residual
    };

    /// Draws the codes of consecutive signals, whose first has the number `first`, and puts them into `drawn`. Their
    /// present codes are in `old`, from row `row` on. `signals` has one signal per column, NaN where an entry is
    /// missing; it becomes the residual, 0 where missing. Signals without any observed entry get no code.
    void block(std::size_t first, Eigen::Ref<Mat> signals, const SparseCodes& old, std::size_t row, SparseCodes& drawn,
               Bench& bench) const;

private:
    /// What decides an entry: p, ln(pi / (1 - pi)) + ln(g / p) / 2, and e^2 / 2p.
    struct Odds {
        double precision, log_prior, gain;
    };

    /// The new value of an entry, 0 when it is off. c excludes the entry's own contribution.
    [[nodiscard]] double draw(const Odds& odds, double c, double uniform, DrawStream& values) const;
    [[nodiscard]] Odds odds(Eigen::Index place, double norm2) const;
    [[nodiscard]] Eigen::Index place_of(Eigen::Index atom) const;
    void prepare(std::size_t first, std::size_t signals, Bench& bench) const;
    void complete_signal(double* correlations, const double* limit, const double* uniform, DrawStream& values,
                         Bench& bench) const;
    void gappy_signal(const Eigen::Ref<const Vec>& residual, const double* uniform, DrawStream& values,
                      Bench& bench) const;

    const OnOffState& state_;
    OnOffNumbers draw_;
    Eigen::Index first_atom_;  // the atom visited first
    Mat atoms_;                // in the order visited, like everything below
    PaddedGram gram_;
    Vec prior_log_odds_;
    Vec precision_, log_prior_, gain_;  // the Odds of every entry of a complete signal
};

}  // namespace sbdl
