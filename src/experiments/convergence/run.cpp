// The run: every row learns from the same data set, one after the other, and its dictionary is scored as it learns.
#include "experiments/convergence/convergence.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include "base/atomic_file.hpp"
#include "experiments/table1/table1.hpp"
#include "sbdl/score.hpp"

namespace sbdl {
namespace {

/// Processor time: other programs do not count, and there is one thread.
double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Scores the dictionary of some sweeps, with the clock stopped.
class ScoringObserver final : public Observer {
public:
    explicit ScoringObserver(const Matrix& truth) : truth_(truth) {}

    Flow on_sweep(const SweepReport& report) override {
        if (++sweeps_ >= next_) {
            score(sweeps_, report.dictionary());
            next_ = sweeps_ + std::max(1, sweeps_ / 20);
        }
        return Flow::go_on;
    }

    /// With the result as the last point.
    std::vector<ConvergencePoint> finish(const TrainResult& result) {
        if (!points_.empty() && points_.back().sweep == result.sweeps) points_.pop_back();
        score(result.sweeps, result.model.dictionary);
        return std::move(points_);
    }

private:
    void score(int sweep, const Matrix& dictionary) {
        const double now = processor_seconds();
        const RecoveryScore found = score_dictionary(truth_, dictionary, table1::recovery_threshold);
        points_.push_back({sweep, now - start_, 100.0 * found.nearest_rate(), 100.0 * found.assigned_rate()});
        start_ += processor_seconds() - now;
    }

    const Matrix& truth_;
    std::vector<ConvergencePoint> points_;
    int sweeps_ = 0, next_ = 1;
    double start_ = processor_seconds();  // moved on by the time that scoring takes
};

std::vector<std::string> rows_of(const ConvergenceOptions& options) {
    std::vector<std::string> rows = select_table1_rows(options.rows);
    if (options.rows.empty())
        std::erase_if(rows, [](const std::string& row) { return table1::facts_of(row).as_printed; });
    return rows;
}

}  // namespace

std::optional<double> ConvergenceCurve::seconds_to(double percent) const {
    const auto first = std::find_if(points.begin(), points.end(),
                                    [percent](const ConvergencePoint& p) { return p.nearest_percent >= percent; });
    return first == points.end() ? std::nullopt : std::optional(first->seconds);
}

ConvergenceSummary run_convergence(const ConvergenceOptions& options, const ConvergenceHooks& hooks) {
    check_run(1, 1, options.out_dir, options);
    const std::vector<std::string> rows = rows_of(options);
    Table1Task task{
        .row = {}, .cell = options.cell, .trial = 0, .seed = table1::trial_seed(options.seed, options.cell, 0)};
    make_folder(options.out_dir);
    const SynthSet set = table1::make_set(task);

    ConvergenceSummary summary;
    for (const std::string& row : rows) {
        task.row = row;
        ScoringObserver observer(set.dictionary);
        const std::array<Observer*, 1> observers{&observer};
        const auto result =
            table1::learn_unless_stopped(task, set, table1::learner_options(row, task.cell), hooks.stop, observers);
        summary.stopped = !result;
        if (summary.stopped) break;
        summary.curves.push_back({row, observer.finish(*result)});
        if (hooks.progress) hooks.progress(row, static_cast<int>(summary.curves.size()), static_cast<int>(rows.size()));
    }
    if (summary.curves.empty()) return summary;
    summary.csv = options.out_dir / "convergence.csv";
    summary.md = options.out_dir / "convergence.md";
    summary.svg = options.out_dir / "convergence.svg";
    write_text_file(summary.csv, convergence::csv_report(summary.curves));
    write_text_file(summary.md, convergence::markdown_report(summary.curves, options));
    write_text_file(summary.svg, convergence::svg_report(summary.curves, options));
    return summary;
}

}  // namespace sbdl
