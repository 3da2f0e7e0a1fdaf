#include "run/drive.hpp"

#include "run/checkpoint_file.hpp"
#include "run/run_monitor.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

void drive(Run& run, int atoms, const std::optional<SignalFacts>& facts, const SignalSource& source,
           const Context& context, std::span<Observer* const> observers, TrainResult& result) {
    RunMonitor monitor({.method = result.model.method,
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = static_cast<std::size_t>(atoms),
                        .chains = run.chains(),
                        .sweeps = run.sweeps()},
                       context, observers);
    CheckpointFile checkpoint(context, result.model, source, facts);
    if (context.checkpoint.resume) checkpoint.load(run, monitor, result.warnings);
    while (!run.done()) {
        SweepReport report = run.sweep();
        report.dictionary = [&run] { return run.estimate(); };
        if (const auto stop = monitor.after_sweep(report)) {
            result.reason = *stop;
            checkpoint.on_stop(run, monitor);
            break;
        }
        if (run.converged()) {
            result.reason = StopReason::converged;
            break;
        }
        checkpoint.after_sweep(run, monitor);
    }
    run.finish(result);
    result.model.trace = monitor.trace();
    result.model.stop_reason = to_string(result.reason);
    result.model.program_version = version();
    result.sweeps = monitor.sweeps();
    result.seconds = monitor.seconds();
}

}  // namespace sbdl
