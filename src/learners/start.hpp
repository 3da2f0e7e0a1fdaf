// How a run starts, and how duplicate and unused atoms are replaced during burn-in.
#pragma once

#include <functional>

#include "pass/code_pass.hpp"
#include "pass/shared_parts.hpp"
#include "pass/signal_share.hpp"
#include "random/stream.hpp"
#include "sbdl/context.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// Unit-norm atoms (dim x atoms) from signals drawn without repetition; random directions where signals are too few or
/// zero. A small jitter keeps equal signals from making equal atoms. `signal` reads one of `count` signals.
Mat atoms_from_signals(std::size_t count, const std::function<Vec(std::size_t)>& signal, Eigen::Index dim,
                       Eigen::Index atoms, DrawStream& draws);

/// The same with the given norm, for a chain.
Mat start_dictionary(const CodePass& pass, double norm, std::uint64_t seed, std::uint32_t chain);

/// The atoms (columns of unit norm) that a learner with sparse codes begins with: those of the warm start, or signals.
/// With the same seed, all these learners start from the same atoms.
Mat start_atoms(const SignalShare& signals, int atoms, const Context& context);
/// The same where signals are divided among ranks.
Mat start_atoms(const SignalShare& signals, const SharedParts& parts, int atoms, const Context& context);

/// Where a chain begins: its atoms and its noise precision.
struct StartPoint {
    Mat dictionary;
    double noise_precision;
    std::uint32_t sweeps_before = 0;  ///< so that a warm start draws new numbers instead of repeating the first run's
};

/// Without a model: atoms of the given norm made from signals, and the signals' own precision. With a model: where its
/// run ended, unless VB had switched off all of its atoms.
StartPoint start_point(const CodePass& pass, double norm, std::uint64_t seed, std::uint32_t chain, const Model* model);

/// Replaces atoms that are near-copies of another (|cos| > 0.9, the less used of the two) or hardly used. Their
/// replacements are the signals whose codes were densest in the last pass, which the dictionary explains worst. `use`
/// is each atom's share of the energy. Returns the atoms replaced. For burn-in only: it is not a step of the sampler.
std::vector<Eigen::Index> refresh_atoms(const CodePass& pass, const Vec& use, Mat& D);

}  // namespace sbdl
