#include "experiments/table1/trial.hpp"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "experiments/fnv1a.hpp"
#include "experiments/table1/rows.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/gibbs.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/online.hpp"
#include "sbdl/rls.hpp"
#include "sbdl/score.hpp"
#include "sbdl/sgd.hpp"
#include "sbdl/simco.hpp"
#include "sbdl/vb.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

using table1::RowFacts;

template <class Options>
Options preset_of(const RowFacts& row) {
    return Options::preset(row.as_printed ? Preset::paper : Preset::standard, table1::atom_count);
}

template <class Options>
Options with_k(const RowFacts& row, const Table1Cell& cell) {
    Options options = preset_of<Options>(row);
    options.sparsity = table1::given_sparsity(cell);
    return options;
}

ApruOptions apru(const RowFacts& row, ApruParameters parameters) {
    ApruOptions options = preset_of<ApruOptions>(row);
    options.parameters = parameters;
    return options;
}

MajorizationOptions majorization(const RowFacts& row) {
    MajorizationOptions options = preset_of<MajorizationOptions>(row);
    options.lambda = 0.2;  // the same as for APrU-DL-F
    return options;
}

AnyOptions learner_options(Table1Row which, const Table1Cell& cell) {
    const RowFacts& row = table1::facts_of(which);
    switch (which) {
        case Table1Row::gibbs:
        case Table1Row::gibbs_paper:
            return preset_of<GibbsOptions>(row);
        case Table1Row::vb:
        case Table1Row::vb_paper:
            return preset_of<VbOptions>(row);
        case Table1Row::ksvd:
            return with_k<KsvdOptions>(row, cell);
        case Table1Row::bpfa:
            return preset_of<BpfaOptions>(row);
        case Table1Row::apru_f:
            return apru(row, ApruParameters::f);
        case Table1Row::apru_l:
            return apru(row, ApruParameters::l);
        case Table1Row::mod:
            return with_k<ModOptions>(row, cell);
        case Table1Row::simco:
            return with_k<SimcoOptions>(row, cell);
        case Table1Row::majorization:
            return majorization(row);
        case Table1Row::online:
            return with_k<OnlineOptions>(row, cell);
        case Table1Row::rls:
            return with_k<RlsOptions>(row, cell);
        case Table1Row::sgd:
            return with_k<SgdOptions>(row, cell);
    }
    throw std::logic_error("a row of Table I has no learner");
}

class StopWhenAsked final : public Observer {
public:
    explicit StopWhenAsked(const StopCheck& stop) : stop_(stop) {}
    Flow on_sweep(const SweepReport&) override { return stop_ && stop_() ? Flow::stop : Flow::go_on; }

private:
    const StopCheck& stop_;
};

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

TrainResult learn(const Table1Task& task, const SynthSet& set, int threads, std::span<Observer* const> observers) {
    const MemorySource source{set.signals};
    Context context;
    context.execution.threads = threads;
    context.seed = task.seed;
    return train(source, learner_options(task.row, task.cell), context, observers);
}

}  // namespace table1

std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop) {
    const SynthSet truth = table1::make_set(task);
    StopWhenAsked stopper{stop};
    const std::array<Observer*, 1> observers{&stopper};
    const TrainResult result = table1::learn(task, truth, 1, observers);  // trials run in parallel instead
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
    // The sparsity that a learner is given follows from the cell, so any cell will do.
    const std::string options = to_json(learner_options(row, table1_cells().front()));
    return fmt::format("{:016x}", fnv1a(fmt::format("{} {} {} {} {} {}", to_string(row), version(), signal_dim,
                                                    atom_count, recovery_threshold, options)));
}

}  // namespace table1

}  // namespace sbdl
