// One trial: make the data of the cell, learn with the row's method and preset, compare with the truth.
#include <array>
#include <variant>

#include <fmt/format.h>

#include "experiments/fnv1a.hpp"
#include "experiments/table1.hpp"
#include "sbdl/options.hpp"
#include "sbdl/score.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

std::variant<GibbsOptions, VbOptions> learner_options(Table1Row row) {
    const bool as_printed = row == Table1Row::gibbs_paper || row == Table1Row::vb_paper;
    const Preset preset = as_printed ? Preset::paper : Preset::standard;
    if (row == Table1Row::gibbs || row == Table1Row::gibbs_paper)
        return GibbsOptions::preset(preset, table1::atom_count);
    return VbOptions::preset(preset, table1::atom_count);
}

class StopWhenAsked final : public Observer {
public:
    explicit StopWhenAsked(const StopCheck& stop) : stop_(stop) {}
    Flow on_sweep(const SweepReport&) override { return stop_ && stop_() ? Flow::stop : Flow::go_on; }

private:
    const StopCheck& stop_;
};

}  // namespace

std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop) {
    SynthOptions data;
    data.dim = table1::signal_dim;
    data.atoms = table1::atom_count;
    data.signals = static_cast<std::size_t>(task.cell.signals);
    data.sparsity_min = static_cast<std::size_t>(task.cell.sparsity_min);
    data.sparsity_max = static_cast<std::size_t>(task.cell.sparsity_max);
    data.snr_db = task.cell.snr_db;
    data.seed = task.seed;
    const SynthSet truth = synthesize(data);

    const MemorySource source{truth.signals};
    Context context;
    context.threads = 1;  // trials run side by side instead
    context.seed = task.seed;
    StopWhenAsked stopper{stop};
    const std::array<Observer*, 1> observers{&stopper};
    const TrainResult result = std::visit(
        [&](const auto& options) { return train(source, options, context, observers); }, learner_options(task.row));
    if (result.reason == StopReason::observer) return std::nullopt;

    const RecoveryScore recovery =
        score_dictionary(truth.dictionary, result.model.dictionary, table1::recovery_threshold);
    return Table1Score{.nearest_percent = 100.0 * recovery.nearest_rate(),
                       .assigned_percent = 100.0 * recovery.assigned_rate(),
                       .noise_ratio = result.model.noise_sd / truth.noise_sd,
                       .seconds = result.seconds,
                       .sweeps = result.sweeps};
}

namespace table1 {

std::string fingerprint(Table1Row row) {
    const std::string options = std::visit([](const auto& learner) { return to_json(learner); }, learner_options(row));
    return fmt::format("{:016x}", fnv1a(fmt::format("{} {} {} {} {} {}", to_string(row), version(), signal_dim,
                                                    atom_count, recovery_threshold, options)));
}

}  // namespace table1

}  // namespace sbdl
