#include "run/observed_run.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/rank_group.hpp"
#include "signals/empty_signals.hpp"

namespace sbdl {
namespace {

/// A run over the signals that have an observed entry, as one over all signals.
class ObservedRun final : public Run {
public:
    ObservedRun(std::unique_ptr<ObservedSignals> observed, std::unique_ptr<Run> run)
        : observed_(std::move(observed)), run_(std::move(run)) {}

    [[nodiscard]] int sweeps() const override { return run_->sweeps(); }
    [[nodiscard]] int chains() const override { return run_->chains(); }
    SweepReport sweep() override { return run_->sweep(); }
    [[nodiscard]] bool done() const override { return run_->done(); }
    [[nodiscard]] bool converged() const override { return run_->converged(); }
    [[nodiscard]] Matrix estimate() const override { return run_->estimate(); }
    void archive(StateArchive& archive) override { run_->archive(archive); }

    [[nodiscard]] Matrix reconstruct(std::span<const std::size_t> signals) const override {
        std::vector<std::size_t> numbers;
        for (const std::size_t signal : signals)
            if (const auto number = observed_->number_of(signal)) numbers.push_back(*number);
        const Matrix found = run_->reconstruct(numbers);
        if (found.empty() && !numbers.empty()) return {};
        Matrix all(signals.size(), observed_->dim());
        for (std::size_t i = 0, from = 0; i < signals.size(); ++i)
            if (observed_->number_of(signals[i])) std::ranges::copy(found.row(from++), all.row(i).begin());
        return all;
    }

    void finish(TrainResult& result) override {
        run_->finish(result);
        Model& model = result.model;
        for (Matrix* const rows : {&model.codes, &model.codes_std, &model.codes_probability, &result.reconstruction})
            *rows = observed_->with_empty(*rows);
    }

private:
    std::unique_ptr<ObservedSignals> observed_;  // which the run reads
    std::unique_ptr<Run> run_;
};

}  // namespace

BegunRun begin_with_observed(const RunInput& input, EmptySignals empty, BegunRun (*begin)(const RunInput&)) {
    if (empty == EmptySignals::refuse) return begin(input);
    auto observed = std::make_unique<ObservedSignals>(input.source, RankGroup(input.context.execution.ranks));
    if (observed->empty() == 0) return begin(input);
    if (observed->count() == 0) reject_all_missing(input.source);
    input.warnings.push_back(ignored_text(observed->empty(), input.source.count()));
    BegunRun begun = begin({*observed, input.options, input.context, input.warnings});
    begun.run = std::make_unique<ObservedRun>(std::move(observed), std::move(begun.run));
    return begun;
}

}  // namespace sbdl
