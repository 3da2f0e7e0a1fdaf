// A run as the driver sees it (run/drive.hpp): sweeps, an estimate, a state that can be saved. Chains, bounds, rounds
// and streams all implement this, and none of them knows of traces, observers, time limits or checkpoints.
#pragma once

#include "base/state_archive.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/train.hpp"

namespace sbdl {

class Run {
public:
    Run() = default;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    virtual ~Run() = default;

    /// The most sweeps that a chain makes, and the chains.
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

    /// Fills the model, but for what the driver knows. Called once, at the end.
    virtual void finish(TrainResult& result) = 0;

    /// All that decides the rest of the run and is not a function of data, options and seed.
    virtual void archive(StateArchive& archive) = 0;
};

}  // namespace sbdl
