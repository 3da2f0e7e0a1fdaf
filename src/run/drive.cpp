#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/rank_group.hpp"
#include "run/checkpoint_clock.hpp"
#include "run/checkpoint_file.hpp"
#include "run/observer_list.hpp"
#include "run/run.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_complete(const Trace& trace) {
    bool complete = true;
    for_each_field(trace, [&](const auto& /*field*/, const auto& values) {
        complete = complete && values.size() == trace.sweep.size();
    });
    return complete;
}

/// Tells the observers of each sweep, keeps the trace, and knows when to stop.
class RunMonitor {
public:
    RunMonitor(const RunPlan& plan, double time_limit_s, std::span<Observer* const> observers,
               std::vector<std::string>& observer_errors)
        : time_limit_s_(time_limit_s), observers_(observers, observer_errors) {
        observers_.notify([&plan](Observer& observer) { observer.on_start(plan); });
    }

    void finish() { observers_.finish(); }

    /// Fills in the time, tells the observers, extends the trace. Returns why the run must stop, if it must.
    std::optional<StopReason> after_sweep(SweepReport report) {
        report.seconds = seconds();
        trace_.chain.push_back(report.chain);
        trace_.sweep.push_back(report.sweep);
        trace_.kept.push_back(report.phase == Phase::kept ? 1 : 0);
        trace_.objective.push_back(report.objective);
        trace_.noise_sd.push_back(report.noise_sd);
        bool stop = false;
        observers_.notify([&](Observer& observer) {
            if (observer.on_sweep(report) == Flow::stop) stop = true;
        });
        if (stop) return StopReason::observer;
        if (time_limit_s_ > 0.0 && seconds_since(start_) >= time_limit_s_) return StopReason::time_limit;
        return std::nullopt;
    }

    /// Since the run started, the time before a kill included.
    [[nodiscard]] double seconds() const { return seconds_before_ + seconds_since(start_); }
    [[nodiscard]] const Trace& trace() const { return trace_; }

    void archive(StateArchive& archive) {
        double so_far = seconds();
        archive("seconds", so_far);
        if (archive.loading()) seconds_before_ = so_far;
        for_each_field(trace_, [&](const auto& field, auto& values) { archive(field.name, values); });
        if (archive.loading() && !is_complete(trace_)) archive.damaged("the trace");
        if (archive.loading()) observers_.notify([this](Observer& observer) { observer.on_resume(trace_); });
    }

private:
    double time_limit_s_;
    ObserverList observers_;
    Clock::time_point start_ = Clock::now();
    double seconds_before_ = 0.0;
    Trace trace_;
};

/// JSON: what must be the same for a run to go on. `model` says method, options and seed.
std::string run_fingerprint(const Context& context, const Model& model, const SignalSource& source,
                            const std::optional<SignalFacts>& facts) {
    const std::uint64_t data = facts ? facts->hash : hash_signals(source);
    return nlohmann::ordered_json{{"method", model.method},
                                  {"options", nlohmann::ordered_json::parse(model.options_json)},
                                  {"seed", model.seed},
                                  {"kernels", context.execution.kernels},
                                  {"data", fmt::format("{:016x} {} x {}", data, source.count(), source.dim())},
                                  {"model to start from", model_fingerprint(context.start)},
                                  {"reconstruct", context.reconstruct}}
        .dump();
}

/// The checkpoint of a run, if it has one.
class RunCheckpoint {
public:
    RunCheckpoint(Run& run, RunMonitor& monitor, const Context& context, const SignalSource& source,
                  const std::optional<SignalFacts>& facts, TrainResult& result)
        : checkpoint_(context.checkpoint),
          ranks_(context.execution.ranks),
          run_(run),
          result_(result),
          state_([&run, &monitor](StateArchive& archive) {
              monitor.archive(archive);
              run.archive(archive);
          }) {
        if (checkpoint_.path.empty()) {
            if (checkpoint_.resume) throw InputError("resume: no checkpoint is named");
            return;
        }
        if (ranks_.first()) prepare_checkpoint(checkpoint_);
        fingerprint_ = run_fingerprint(context, result.model, source, facts);
        if (!checkpoint_.resume) return;
        passed_over_ = !read_checkpoint(checkpoint_, fingerprint_, source.name(), state_, &result.warnings);
    }

    [[nodiscard]] bool due() const { return !checkpoint_.path.empty() && clock_.due(Clock::now()); }

    /// So that the run can be resumed later, unless it has ended.
    void write() {
        if (checkpoint_.path.empty() || passed_over_ || run_.done() || !result_.checkpoint_error.empty()) return;
        const Clock::time_point begin = Clock::now();
        result_.checkpoint_error = try_checkpoint(checkpoint_, fingerprint_, state_, ranks_);
        if (!result_.checkpoint_error.empty()) result_.warnings.push_back(result_.checkpoint_error);
        clock_.written(begin, Clock::now());
    }

private:
    const Checkpoint& checkpoint_;
    RankGroup ranks_;
    Run& run_;
    TrainResult& result_;
    std::function<void(StateArchive&)> state_;
    std::string fingerprint_;
    bool passed_over_ = false;  // the file belongs to a later stage, which this one must not overwrite
    CheckpointClock clock_{checkpoint_.every_s, Clock::now()};
};

/// What rank 0 decides after a sweep, for all ranks.
struct Decision {
    std::optional<StopReason> stop;
    bool checkpoint = false;
};

/// Every rank computes the atoms for itself. On processors of different kinds they might come out differently, and the
/// ranks would then not be in the same run any more.
void require_same_atoms(RankGroup& ranks, const Run& run, const SweepReport& report) {
    if (ranks.alone()) return;
    const Matrix atoms = run.estimate();
    const std::uint64_t hash = hash_bytes(&report.noise_sd, sizeof report.noise_sd);
    ranks.require_same(hash_bytes(atoms.data(), atoms.size() * sizeof(double), hash),
                       "learned other atoms, perhaps on a processor of another kind or from another checkpoint,");
}

}  // namespace

void drive(Run& run, int atoms, const std::optional<SignalFacts>& facts, const SignalSource& source,
           const Context& context, std::span<Observer* const> observers, TrainResult& result) {
    RunMonitor monitor({.method = result.model.method,
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = static_cast<std::size_t>(atoms),
                        .chains = run.chains(),
                        .sweeps = run.sweeps()},
                       context.time_limit_s, observers, result.observer_errors);
    RunCheckpoint checkpoint(run, monitor, context, source, facts, result);
    RankGroup ranks(context.execution.ranks);
    while (!run.done()) {
        SweepReport report = run.sweep();
        require_same_atoms(ranks, run, report);
        report.sweeps_planned = run.sweeps();
        report.dictionary = [&run] { return run.estimate(); };
        // An observer is called by rank 0 alone, which has the codes of a part of the signals.
        if (ranks.alone())
            report.reconstruct = [&run](std::span<const std::size_t> signals) { return run.reconstruct(signals); };
        else
            report.reconstruct = [](std::span<const std::size_t>) { return Matrix(); };
        Decision decision;
        decision.stop = monitor.after_sweep(report);
        decision.checkpoint = checkpoint.due();
        decision = ranks.of_first(decision);
        if (decision.stop) {
            result.reason = *decision.stop;
            checkpoint.write();
            break;
        }
        if (run.converged()) {
            result.reason = StopReason::converged;
            break;
        }
        if (decision.checkpoint) checkpoint.write();
    }
    run.finish(result);
    result.model.trace = monitor.trace();
    result.model.stop_reason = to_string(result.reason);
    result.model.program_version = version();
    result.sweeps = static_cast<int>(monitor.trace().sweep.size());
    result.seconds = monitor.seconds();
    monitor.finish();
}

}  // namespace sbdl
