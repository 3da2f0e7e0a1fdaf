#include "learners/train_common.hpp"

#include "sbdl/version.hpp"

namespace sbdl {

RunPlan plan_for(const std::string& method, const BlockSweep& signals, int chains, int sweeps) {
    return {.method = method,
            .signal_count = signals.signal_count(),
            .signal_dim = signals.signal_dim(),
            .atom_count = signals.atom_count(),
            .chains = chains,
            .sweeps = sweeps};
}

void finish_result(const RunMonitor& monitor, TrainResult& result) {
    result.model.trace = monitor.trace();
    result.model.stop_reason = to_string(result.reason);
    result.model.program_version = version();
    result.sweeps = monitor.sweeps();
    result.seconds = monitor.seconds();
}

}  // namespace sbdl
