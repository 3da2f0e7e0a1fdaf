// How a run starts, and how duplicate and unused atoms are replaced while it still burns in.
#pragma once

#include <functional>

#include "learners/scaled_signals.hpp"
#include "random/stream.hpp"
#include "sbdl/context.hpp"
#include "sbdl/model.hpp"
#include "train/block_sweep.hpp"

namespace sbdl {

/// Unit-norm atoms (dim x atoms) from signals drawn without repetition; directions at random where signals are too few
/// or zero. A small jitter keeps equal signals from making equal atoms. `signal` reads one of `count`.
Mat atoms_from_signals(std::size_t count, const std::function<Vec(std::size_t)>& signal, Eigen::Index dim,
                       Eigen::Index atoms, DrawStream& draws);

/// The same with the given norm, for a chain.
Mat start_dictionary(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain);

/// The atoms, columns of unit norm, that a learner with sparse codes begins with: those of the model to go on from, or
/// signals. Equal seeds give all these learners the same start.
Mat start_atoms(const ScaledSignals& signals, int atoms, const Context& context);

/// Where a chain begins: its atoms and its noise precision.
struct StartPoint {
    Mat dictionary;
    double noise_precision;
    std::uint32_t sweeps_before = 0;  ///< so that a run that goes on draws new numbers, not the first run's again
};

/// From signals with atoms of that norm and the signals' own precision; or, given a model, where its run ended, unless
/// VB had switched all of its atoms off.
StartPoint start_point(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain,
                       const Model* model);

/// Throws InputError unless the model to start from, if there is one, has as many atoms of the same length as this run,
/// which has a single chain: several from one start would agree without having found anything.
void check_start(const Context& context, const SignalSource& source, int atoms, int chains);

/// Replaces atoms that are nearly another's copy (|cos| > 0.9, the less used of the two) or hardly used, by the signals
/// whose codes were densest in the last pass: those the dictionary explains worst. `use` is each atom's share of the
/// energy. Returns the atoms replaced. For burn-in only: it is no step of the sampler.
std::vector<Eigen::Index> refresh_atoms(const BlockSweep& signals, const Vec& use, Mat& D);

}  // namespace sbdl
