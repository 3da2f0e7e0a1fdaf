// Several chains as one: those that agree are pooled, the others left out.
//
// The posterior has as many equal modes as its atoms have orders and signs, so atoms must be matched first. Chains that
// have found the same atoms and the same noise are then samples of one mode. A chain that differs has been caught in a
// worse one, or has not settled. Only atoms that are determined count (determined_atoms.hpp): of the others each chain
// has its own, and they stay those of the chain that is reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learners/chains/chain_record.hpp"
#include "learners/chains/determined_atoms.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Mean atoms of two chains are the same when their cosine is at least this.
constexpr double same_atom_cosine = 0.99;

/// Pairs the mean atoms of two chains so that the sum of 1 - |cos| over all atoms that are determined, of either chain,
/// is least. Two atoms that are not are no pair.
AtomPairs match_atoms(const PosteriorAverage& one, const PosteriorAverage& other, const std::vector<bool>& determined,
                      const std::vector<bool>& other_determined);

/// What a run reports.
struct PooledChains {
    ChainRecord record;  ///< the best chain's, with the sums of all pooled chains
    Matrix codes, codes_std, codes_probability;
    int count = 1;
    std::string note;  ///< whose estimate this is, in words; empty for a run of one chain
};

/// Chains are compared with the one of the greatest mean log density among those that kept most sweeps. `planned` is
/// how many there should have been. Without `average` the estimate is a single sweep, and nothing is pooled.
PooledChains pool_chains(std::vector<ChainRecord> chains, const ChainScale& scale, int planned, bool average);

/// Of the chains that kept most sweeps: one that was cut short would leave little of the others to compare it with. Of
/// the watched atoms those count that tell something in the first of these chains.
Diagnostics diagnose(const std::vector<ChainRecord>& chains, const ChainScale& scale);

/// The largest that is known; 0 when none is.
double worst_rhat(const Diagnostics& d);

/// How many draws would settle a chain, judged by its draws so far. None when it has settled, has not mixed, or nothing
/// is known of it. The R-hat of a chain with fewer draws than `least` says nothing.
std::optional<int> draws_to_settle(const Diagnostics& d, int draws, int least);

}  // namespace sbdl
