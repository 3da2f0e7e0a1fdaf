// A run as its driver sees it: sweeps, an estimate, a state that can be saved. Chains, bounds, rounds and streams all
// implement this, and none of them knows of traces, observers, time limits or checkpoints.
#pragma once

#include <optional>
#include <span>

#include "base/state_archive.hpp"
#include "pass/signal_scan.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/train.hpp"

namespace sbdl {

class Run {
public:
    Run() = default;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    virtual ~Run() = default;

    /// The most sweeps that a chain makes, as planned now, and the chains.
    [[nodiscard]] virtual int sweeps() const = 0;
    [[nodiscard]] virtual int chains() const { return 1; }

    /// Makes the next sweep. The driver fills in times and the dictionary.
    virtual SweepReport sweep() = 0;
    /// Every planned sweep was made.
    [[nodiscard]] virtual bool done() const = 0;
    /// More sweeps would change nothing.
    [[nodiscard]] virtual bool converged() const { return false; }

    /// The atoms that the run would leave if it ended here, rows of unit norm.
    [[nodiscard]] virtual Matrix estimate() const = 0;

    /// These signals as the atoms and codes of the last sweep make them, in the user's units; no rows when the run does
    /// not draw codes.
    [[nodiscard]] virtual Matrix reconstruct(std::span<const std::size_t>) const { return {}; }

    /// Fills the model, but for what the driver knows. Called once, at the end.
    virtual void finish(TrainResult& result) = 0;

    /// All that decides the rest of the run and is not a function of data, options and seed.
    virtual void archive(StateArchive& archive) = 0;
};

/// The driver of every run: trace, observers, time limit, stop and checkpoint, in one place. Makes the sweeps and fills
/// `result`, whose model already says what was known before. `facts` are what the run has found out about the signals;
/// without them a checkpoint reads the signals once more for their fingerprint.
void drive(Run& run, int atoms, const std::optional<SignalFacts>& facts, const SignalSource& source,
           const Context& context, std::span<Observer* const> observers, TrainResult& result);

}  // namespace sbdl
