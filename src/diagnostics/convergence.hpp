// Whether chains agree, and how many independent draws they are worth, for one scalar recorded in each kept sweep.
#pragma once

#include <limits>
#include <vector>

namespace sbdl {

/// NaN with fewer than 4 draws per chain, or without variance.
struct Convergence {
    /// Rank-normalised split R-hat, the larger of that of the values (do the halves have the same centre?) and that of
    /// their distances from the median (the same spread?).
    double rhat = std::numeric_limits<double>::quiet_NaN();
    /// Effective number of independent draws for the centre of the distribution ("bulk").
    double ess = std::numeric_limits<double>::quiet_NaN();
    /// The same for its 5 % and 95 % quantiles, the smaller of the two.
    double ess_tail = std::numeric_limits<double>::quiet_NaN();
};

/// One vector per chain. If their lengths differ, only the common length is used.
Convergence measure_convergence(const std::vector<std::vector<double>>& chains);

}  // namespace sbdl
