// Which atoms of a chain count when it is judged or compared with another: those whose direction the signals determine
// (docs/math.md, C4). The others are draws from the prior, or code a little noise in a few signals. They differ from
// chain to chain, and wander as slowly as they like, whether or not the chains have settled.
#pragma once

#include <vector>

#include "learners/chains/posterior_average.hpp"

namespace sbdl {

/// What an average has to be compared with.
struct ChainScale {
    double signals = 0.0;  ///< how many there are
    double unit = 1.0;     ///< they are divided by this; the codes are in these units, the noise is not
};

/// By codes and draws.
std::vector<bool> determined_atoms(const PosteriorAverage& average, const ChainScale& scale);

/// By the codes of a single sweep: the root mean square of each atom's, atoms having unit norm. All three in the same
/// units.
std::vector<bool> determined_atoms(Eigen::Index dim, const Vec& usage, double noise_sd, double signals);

/// A chain that has not settled moves atoms about, so that they have no direction either. What tells them from atoms
/// that are not needed is their usage: at least this share of the largest.
constexpr double much_used = 0.5;

/// The atoms by which a single chain is judged: those that are determined, and those that are used much without being.
std::vector<bool> telling_atoms(const PosteriorAverage& average, const ChainScale& scale);

}  // namespace sbdl
