// How a run starts, and how duplicate and unused atoms are replaced while it still burns in.
#pragma once

#include "train/block_sweep.hpp"

namespace sbdl {

/// Atoms from signals drawn without repetition, each with the given norm; directions at random where signals are too
/// few or zero. A small jitter keeps equal signals from making equal atoms.
Mat start_dictionary(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain);

/// Replaces atoms that are nearly another's copy (|cos| > 0.9, the less used of the two) or hardly used, by the signals
/// whose codes were densest in the last pass: those the dictionary explains worst. `use` is each atom's share of the
/// energy. Returns the atoms replaced. For burn-in only: it is no step of the sampler.
std::vector<Eigen::Index> refresh_atoms(const BlockSweep& signals, const Vec& use, Mat& D);

}  // namespace sbdl
