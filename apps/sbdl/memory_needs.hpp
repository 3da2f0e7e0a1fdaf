// What a run of each method holds at once, in doubles: about, so that a run that cannot fit is refused before it
// starts.
#pragma once

#include <algorithm>

#include "sbdl/bpfa.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/online.hpp"
#include "sbdl/rls.hpp"
#include "sbdl/sgd.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::app {

/// Of gibbs and vb, which look at the noise twice: a variance for each atom of each signal, as much again for
/// the statistics of the threads, and at least four sets of these.
template <class Options>
requires requires(const Options& options) {
    options.second_look;
}
double memory_of(const Options& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double codes = atoms * double(signals.count());
    return codes * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + double(signals.dim()));
}

/// Of ksvd and its kin, which are told how sparse codes are: the residuals, the products of the atoms, and codes of
/// which little is known beforehand.
template <class Options>
requires requires(const Options& options) {
    options.sparsity;
}
double memory_of(const Options& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double most = std::min(atoms, double(signals.dim()));
    const double codes = options.keep_codes ? atoms : 4.0 * std::min(double(options.sparsity.value_or(1)), most);
    return double(signals.count()) * (double(signals.dim()) + codes) + atoms * (atoms + double(signals.dim()));
}

/// Of apru and majorization, which are told the weight of the codes: the residuals, and a code for each atom of each
/// signal, in two layouts.
template <class Options>
requires requires(const Options& options) {
    options.lambda;
}
double memory_of(const Options& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    return double(signals.count()) * (double(signals.dim()) + (options.keep_codes ? 3.0 : 2.0) * atoms) +
           2.0 * atoms * (atoms + double(signals.dim()));
}

/// Of bpfa: residuals, what is observed, and codes of which little is known beforehand.
inline double memory_of(const BpfaOptions& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double kept = (options.keep_codes ? 5.0 * atoms : 0.0) + (options.reconstruct ? double(signals.dim()) : 0.0);
    return double(signals.count()) * (2.0 * double(signals.dim()) + 16.0 + kept) +
           atoms * (atoms + 4.0 * double(signals.dim()));
}

/// Of what takes a stream, a batch at a time: statistics of the atoms, their order when it is shuffled, no signals.
template <class Options>
double memory_of_stream(const Options& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double kept = (options.keep_codes ? atoms : 0.0) + (options.order == StreamOrder::shuffled ? 1.0 : 0.0);
    return double(signals.count()) * kept + options.batch * 2.0 * (atoms + double(signals.dim())) +
           4.0 * atoms * (atoms + double(signals.dim()));
}
inline double memory_of(const OnlineOptions& options, const SignalSource& signals) {
    return memory_of_stream(options, signals);
}
inline double memory_of(const RlsOptions& options, const SignalSource& signals) {
    return memory_of_stream(options, signals);
}
inline double memory_of(const SgdOptions& options, const SignalSource& signals) {
    return memory_of_stream(options, signals);
}
inline double memory_of(const DctOptions& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    return (options.keep_codes ? atoms * double(signals.count()) : 0.0) + atoms * (atoms + double(signals.dim()));
}

}  // namespace sbdl::app
