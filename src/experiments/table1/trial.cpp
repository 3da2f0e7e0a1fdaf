#include "experiments/table1/table1.hpp"

#include <optional>

#include "sbdl/error.hpp"
#include "sbdl/score.hpp"
#include "sbdl/settling.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

std::optional<bool> settled_or_unknown(const Model& model) {
    const Settled settled = judge_settling(model).settled;
    return settled == Settled::unknown ? std::nullopt : std::optional(settled == Settled::yes);
}

}  // namespace

namespace table1 {

SynthSet make_set(const Table1Task& task) {
    SynthOptions data;
    data.dim = signal_dim;
    data.atoms = atom_count;
    data.signals = static_cast<std::size_t>(task.cell.signals);
    data.sparsity_min = static_cast<std::size_t>(task.cell.sparsity_min);
    data.sparsity_max = static_cast<std::size_t>(task.cell.sparsity_max);
    data.snr_db = task.cell.snr_db;
    data.seed = task.seed;
    return synthesize(data);
}

std::optional<TrainResult> learn_unless_stopped(const Table1Task& task, const SynthSet& set, const AnyOptions& options,
                                                const StopCheck& stop, std::span<Observer* const> observers) {
    const MemorySource source{set.signals};
    Context context;
    context.execution.threads = 1;
    context.execution.stop = stop;
    context.seed = task.seed;
    try {
        return train(source, options, context, observers);
    } catch (const Stopped&) {
        return std::nullopt;
    }
}

std::string fingerprint(std::string_view row) {
    // The sparsity that a learner is given follows from the cell, so any cell will do.
    const std::string options = to_json(learner_options(row, table1_cells().front()));
    return as_fingerprint(
        fnv1a(fmt::format("{} {} {} {} {} {}", row, version(), signal_dim, atom_count, recovery_threshold, options)));
}

}  // namespace table1

std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop) {
    const SynthSet truth = table1::make_set(task);
    const auto result = table1::learn_unless_stopped(task, truth, table1::learner_options(task.row, task.cell), stop);
    if (!result) return std::nullopt;

    const RecoveryScore recovery =
        score_dictionary(truth.dictionary, result->model.dictionary, table1::recovery_threshold);
    return Table1Score{.nearest_percent = 100.0 * recovery.nearest_rate(),
                       .assigned_percent = 100.0 * recovery.assigned_rate(),
                       .noise_ratio = result->model.noise_sd / truth.noise_sd,
                       .seconds = result->seconds,
                       .sweeps = result->sweeps,
                       .settled = settled_or_unknown(result->model)};
}

}  // namespace sbdl
