// Codes whose entries are on or off, of signals y_l of M entries,
//
//     y_l = sum_n d_n z_nl s_nl + w_l       w_l ~ N(0, I / noise_precision)
//     z_nl ~ Bernoulli(probability_n)       s_nl ~ N(0, 1 / code_precision)
//
// drawn with everything else held. Entry nl of the codes is x_nl = z_nl s_nl; s of an entry that is off is integrated
// out and never exists. BPFA samples with them, and the noise is re-estimated with them.
//
// One entry after the other, on or off and its value together: with c = d^T r of the residual r without the entry's own
// share, e the noise's and g the codes' precision, and p = g + e d^T d,
//
//     ln odds of on = ln(pi / (1 - pi)) + (ln(g / p) + e^2 c^2 / p) / 2,       x | on ~ N(e c / p, 1 / p)
//
// Only observed entries of a signal count in the products. Signals are independent given the rest.
//
// Another entry goes first each sweep. Inside, entries and atoms stand in the order in which they are visited.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.hpp"
#include "coders/lasso.hpp"
#include "random/stream.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// All but the codes.
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
    std::uint32_t stride = 1;  ///< from the entry that goes first to that of the next sweep
};

class OnOffSampler {
public:
    /// The state must outlive this. To be used inside a ComputeScope.
    OnOffSampler(const OnOffState& state, const OnOffNumbers& draw);

    /// What one thread works with.
    struct Bench {
        Mat residual;                   // of the signals of a block
        AlignedDoubles correlations;    // D^T residual, a signal a padded row
        AlignedDoubles uniform, limit;  // likewise; see on_off_limits.hpp
        Vec code;                       // of the signal at hand, every entry
        std::vector<Eigen::Index> on;   // the entries that are not off now, in the order visited
        Mat seen_atoms;                 // the observed entries of the atoms
        Vec seen_residual;              // and of the residual
    };

    /// Replaces the codes of consecutive signals, the first of which is number `first`, and puts the new ones into
    /// `drawn`; `old` are the codes of all signals. `signals` has a signal a column, NaN where an entry is missing; it
    /// becomes the residual, 0 where missing. Signals without any observed entry get no code.
    void block(std::size_t first, Eigen::Ref<Mat> signals, const SparseCodes& old, SparseCodes& drawn,
               Bench& bench) const;

private:
    /// What decides an entry: p, ln(pi / (1 - pi)) + ln(g / p) / 2, and e^2 / 2p.
    struct Odds {
        double precision, log_prior, gain;
    };

    /// The new value of an entry: 0 when it is off. c without the entry's own share.
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
    Eigen::Index first_atom_;  // the one that is visited first
    Mat atoms_;                // in the order visited, as all below
    PaddedGram gram_;
    Vec prior_log_odds_;
    Vec precision_, log_prior_, gain_;  // Odds of every entry of a complete signal
};

}  // namespace sbdl
