#include "experiments/table1/table1.hpp"

#include <array>
#include <optional>
#include <variant>

#include "sbdl/apru.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/score.hpp"
#include "sbdl/settling.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

void choose(const OptionRef& option, ApruParameters parameters) {
    const auto& choice = std::get<ChoiceRef>(option.value);
    choice.set(choice.value, static_cast<std::size_t>(parameters));
}

class StopWhenAsked final : public Observer {
public:
    explicit StopWhenAsked(const StopCheck& stop) : stop_(stop) {}
    Flow on_sweep(const SweepReport&) override { return stop_ && stop_() ? Flow::stop : Flow::go_on; }

private:
    const StopCheck& stop_;
};

std::optional<bool> settled_or_unknown(const Model& model) {
    const Settled settled = judge_settling(model).settled;
    return settled == Settled::unknown ? std::nullopt : std::optional(settled == Settled::yes);
}

}  // namespace

namespace table1 {

OptionRef option_named(AnyOptions& options, std::string_view name) {
    for (const OptionRef& option : options.options())
        if (option.name == name) return option;
    throw InputError(fmt::format("method {} has no option {}", options.method(), name));
}

AnyOptions learner_options(Table1Row row, const Table1Cell& cell) {
    const RowFacts& facts = facts_of(row);
    AnyOptions options = method_options(facts.method, facts.as_printed ? Preset::paper : Preset::standard, atom_count);
    if (facts.given == "K")
        *std::get<std::optional<int>*>(option_named(options, "sparsity").value) = given_sparsity(cell);
    if (row == Table1Row::apru_f) choose(option_named(options, "parameters"), ApruParameters::f);
    if (row == Table1Row::apru_l) choose(option_named(options, "parameters"), ApruParameters::l);
    if (row == Table1Row::majorization)  // the same as for APrU-DL-F
        *std::get<std::optional<double>*>(option_named(options, "lambda").value) = 0.2;
    return options;
}

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

TrainResult learn(const Table1Task& task, const SynthSet& set, const AnyOptions& options, int threads,
                  std::span<Observer* const> observers) {
    const MemorySource source{set.signals};
    Context context;
    context.execution.threads = threads;
    context.seed = task.seed;
    return train(source, options, context, observers);
}

std::optional<TrainResult> learn_unless_stopped(const Table1Task& task, const SynthSet& set, const AnyOptions& options,
                                                const StopCheck& stop, std::span<Observer* const> observers) {
    StopWhenAsked stopper{stop};
    std::vector<Observer*> all(observers.begin(), observers.end());
    all.push_back(&stopper);
    TrainResult result = learn(task, set, options, 1, all);
    if (result.reason == StopReason::observer) return std::nullopt;
    return result;
}

std::string fingerprint(Table1Row row) {
    // The sparsity that a learner is given follows from the cell, so any cell will do.
    const std::string options = to_json(learner_options(row, table1_cells().front()));
    return as_fingerprint(fnv1a(fmt::format("{} {} {} {} {} {}", to_string(row), version(), signal_dim, atom_count,
                                            recovery_threshold, options)));
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
