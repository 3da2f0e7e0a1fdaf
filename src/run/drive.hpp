// The driver of every run: trace, observers, time limit, stop and checkpoint, in one place.
#pragma once

#include <optional>
#include <span>

#include "pass/signal_scan.hpp"
#include "run/run.hpp"

namespace sbdl {

/// Makes the sweeps and fills `result`, whose model already says what was known before. `facts` are what the run has
/// found out about the signals; without them a checkpoint reads the signals once more for their fingerprint.
void drive(Run& run, int atoms, const std::optional<SignalFacts>& facts, const SignalSource& source,
           const Context& context, std::span<Observer* const> observers, TrainResult& result);

}  // namespace sbdl
