// How a run starts, and how duplicate and unused atoms are replaced while it still burns in.
#pragma once

#include "sbdl/model.hpp"
#include "train/block_sweep.hpp"

namespace sbdl {

/// Atoms from signals drawn without repetition, each with the given norm; directions at random where signals are too
/// few or zero. A small jitter keeps equal signals from making equal atoms.
Mat start_dictionary(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain);

/// Where a chain begins: its atoms and its noise precision.
struct StartPoint {
    Mat dictionary;
    double noise_precision;
};

/// From signals with atoms of that norm and the signals' own precision; or, given a model, where its run ended.
StartPoint start_point(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain,
                       const Model* model);

/// Throws InputError unless atoms of the model, if there is one, are as many and as long as this run's.
void check_start(const Model* model, const SignalSource& source, int atoms);

/// Replaces atoms that are nearly another's copy (|cos| > 0.9, the less used of the two) or hardly used, by the signals
/// whose codes were densest in the last pass: those the dictionary explains worst. `use` is each atom's share of the
/// energy. Returns the atoms replaced. For burn-in only: it is no step of the sampler.
std::vector<Eigen::Index> refresh_atoms(const BlockSweep& signals, const Vec& use, Mat& D);

}  // namespace sbdl
