// An atom of unit norm under VB when entries of the signals are missing (docs/math.md, K6). The terms of the bound with
// q(d) are
//
//     b^T <d> - sum_m w_m <d_m^2> / 2 - KL[q(d) | uniform]
//
// where entry m has a weight w_m of its own. The best q of all is a Fisher-Bingham distribution, whose moments have no
// closed form; this is the best von Mises-Fisher distribution, which is the best of all when the weights are equal.
#pragma once

#include "base/linalg.hpp"
#include "statistics/von_mises_fisher.hpp"

namespace sbdl {

/// A von Mises-Fisher distribution, p(d) ~ exp(kappa mu^T d) on |d| = 1.
struct SphereFactor {
    Vec direction;               ///< mu; any vector of unit norm when kappa is 0
    double concentration = 0.0;  ///< kappa; infinite: d is the point mu

    [[nodiscard]] Vec mean() const;
    /// Of each entry: A / kappa across mu, and what is left of 1 - A^2 along it.
    [[nodiscard]] Vec variance() const;
    [[nodiscard]] VonMisesFisher law() const;
};

/// The terms of the bound above, up to terms that depend on b and w alone; minus infinity for a point.
double gappy_atom_terms(const Vec& linear, const Vec& weight, const SphereFactor& q);

/// The distribution at which they are largest, found from `old`; never worse than that.
SphereFactor best_gappy_atom(const Vec& linear, const Vec& weight, const SphereFactor& old);

}  // namespace sbdl
