// train() for K-SVD.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/blas.hpp"
#include "learners/ksvd/ksvd_learner.hpp"
#include "learners/start.hpp"
#include "learners/train_common.hpp"
#include "sbdl/ksvd.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {
namespace {

/// Lowers a sparsity that no code can have, and says so.
KsvdOptions feasible(const KsvdOptions& options, const SignalSource& signals, std::vector<std::string>& warnings) {
    KsvdOptions possible = options;
    if (!options.sparsity) return possible;
    const auto atoms = static_cast<std::size_t>(options.atoms);
    const std::size_t most = std::min(atoms, signals.dim());
    if (static_cast<std::size_t>(*options.sparsity) <= most) return possible;
    possible.sparsity = static_cast<int>(most);
    warnings.push_back(fmt::format("sparsity is {}, more than {}; {} was used instead", *options.sparsity,
                                   atoms <= signals.dim() ? fmt::format("the {} atoms", atoms)
                                                          : fmt::format("the {} entries of a signal", signals.dim()),
                                   most));
    return possible;
}

/// Entry k: how many signals have k atoms in their code.
std::vector<int> sizes_of(const SparseCodes& codes) {
    std::vector<int> sizes;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        const std::size_t size = codes.start[l + 1] - codes.start[l];
        if (size >= sizes.size()) sizes.resize(size + 1, 0);
        ++sizes[size];
    }
    return sizes;
}

Matrix dense(const SparseCodes& codes, double unit) {
    Matrix rows(codes.count(), codes.atoms);
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            rows(l, codes.atom[k]) = unit * codes.value[k];
    return rows;
}

void fill_model(const KsvdLearner& learner, double unit, double residual_rms, bool keep_codes, Model& model) {
    const SparseCodes& codes = learner.codes();
    Vec energy = Vec::Zero(learner.dictionary().cols());
    for (std::size_t k = 0; k < codes.atom.size(); ++k) energy[codes.atom[k]] += codes.value[k] * codes.value[k];
    model.dictionary = to_rows(learner.dictionary());
    model.atom_usage = to_vector(unit * (energy / static_cast<double>(codes.count())).cwiseSqrt());
    model.atom_norm.assign(codes.atoms, 1.0);
    model.noise_sd = residual_rms;
    model.code_sizes = sizes_of(codes);
    model.diagnostics = no_diagnostics;
    if (keep_codes) model.codes = dense(codes, unit);
}

}  // namespace

TrainResult train(const SignalSource& source, const KsvdOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    validate(options);
    check_signals(source);
    check_context(context);
    check_start(context, source, options.atoms, 1);
    TrainResult result;
    const KsvdOptions possible = feasible(options, source, result.warnings);
    const SerialBlas serial;
    const double unit = root_mean_square(source);
    KsvdLearner learner(source, unit, possible, context);
    RunMonitor monitor({.method = "ksvd",
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = static_cast<std::size_t>(options.atoms),
                        .sweeps = options.sweeps},
                       context, observers);

    const double values = static_cast<double>(source.count()) * static_cast<double>(source.dim());
    double residual_rms = 0.0;
    for (int sweep = 1; sweep <= options.sweeps; ++sweep) {
        const KsvdRound made = learner.round(sweep == options.sweeps);
        residual_rms = unit * std::sqrt(made.residual2 / values);
        const auto stop = monitor.after_sweep({.sweep = sweep,
                                               .phase = Phase::kept,
                                               .objective = unit * unit * made.residual2,
                                               .noise_sd = residual_rms,
                                               .atoms_refreshed = made.replaced,
                                               .mean_nonzeros = made.mean_nonzeros});
        if (stop) {
            result.reason = *stop;
            break;
        }
    }
    if (learner.codes().atom.empty())
        result.warnings.push_back(
            options.max_error ? fmt::format("max_error is {}, and no signal is larger than that: nothing was learnt",
                                            *options.max_error)
                              : "all signals are zero: nothing was learnt");
    start_model("ksvd", options, source, unit, context, result.model);
    fill_model(learner, unit, residual_rms, options.keep_codes, result.model);
    finish_result(monitor, result);
    return result;
}

}  // namespace sbdl
