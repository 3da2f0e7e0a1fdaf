// train() for every learner that goes in rounds over all signals and keeps sparse codes: K-SVD and its kin.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/compute_scope.hpp"
#include "learners/omp_pass.hpp"
#include "learners/sparse_model.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/start.hpp"
#include "learners/train_common.hpp"
#include "sbdl/error.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {

/// What a round leaves, in the learner's units.
struct SparseRound {
    double objective = 0.0;  ///< what the method minimises; scales with the square of the signals' unit
    double residual2 = 0.0;  ///< squared norm of all residuals
    double mean_nonzeros = 0.0;
    int replaced = 0;  ///< atoms that the next round begins without
};

/// What a pursuit and an update of the atoms left; the objective is the squared norm of all residuals. Plans which
/// atoms to replace before the next round, unless there is none (`renewal` null).
SparseRound round_of(const Mat& D, const OmpPass& pass, AtomRenewal* renewal);

/// Why no signal has a code, in words.
template <class Options>
std::string nothing_learnt(const Options& options) {
    if constexpr (requires { *options.max_error; })
        if (options.max_error)
            return fmt::format("max_error is {}, and no signal is larger than that: nothing was learnt",
                               *options.max_error);
    if constexpr (requires { *options.lambda; })
        if (options.lambda)
            return fmt::format("lambda is {}, too large for any code to pay: nothing was learnt", *options.lambda);
    return "all signals are zero: nothing was learnt";
}

/// The whole run. A Learner is made from (signals, unit, options, context), works on signals / unit, and has
///     SparseRound round(bool last);    one round; what it leaves belongs together
///     const Mat& dictionary() const;   columns of unit norm
///     codes() const;                   SparseCodes
template <class Learner, class Options>
TrainResult train_sparse(const std::string& method, const SignalSource& source, const Options& options,
                         const Context& context, std::span<Observer* const> observers) {
    validate(options);
    check_signals(source);
    check_context(context);
    check_start(context, source, options.atoms, 1);
    TrainResult result;
    Options possible = options;
    if constexpr (requires { options.sparsity; })
        possible.sparsity = possible_sparsity(options.sparsity, options.atoms, source, result.warnings);
    const ComputeScope scope;
    const double unit = root_mean_square(source);
    Learner learner(source, unit, possible, context);
    RunMonitor monitor({.method = method,
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = static_cast<std::size_t>(options.atoms),
                        .sweeps = options.sweeps},
                       context, observers);

    const double values = static_cast<double>(source.count()) * static_cast<double>(source.dim());
    double residual_rms = 0.0;
    for (int sweep = 1; sweep <= options.sweeps; ++sweep) {
        const SparseRound made = learner.round(sweep == options.sweeps);
        if (!std::isfinite(made.objective))
            throw NumericError(fmt::format("{}: the objective of sweep {} is {}", method, sweep, made.objective));
        residual_rms = unit * std::sqrt(made.residual2 / values);
        const auto stop = monitor.after_sweep({.sweep = sweep,
                                               .phase = Phase::kept,
                                               .objective = unit * unit * made.objective,
                                               .noise_sd = residual_rms,
                                               .atoms_refreshed = made.replaced,
                                               .mean_nonzeros = made.mean_nonzeros,
                                               .dictionary = [&learner] { return to_rows(learner.dictionary()); }});
        if (stop) {
            result.reason = *stop;
            break;
        }
    }
    const SparseCodes& codes = learner.codes();
    if (codes.atom.empty()) result.warnings.push_back(nothing_learnt(options));
    start_model(method, options, source, unit, context, result.model);
    fill_sparse_model(learner.dictionary(), codes, unit, residual_rms, options.keep_codes, result.model);
    finish_result(monitor, result);
    return result;
}

}  // namespace sbdl
