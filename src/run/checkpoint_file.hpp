// A run on disk: who wrote it, from which data and options, and its whole state.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pass/signal_scan.hpp"
#include "run/run.hpp"
#include "run/run_monitor.hpp"

namespace sbdl {

/// Writes a checkpoint, whole or not at all: its head, then what `state` archives.
void write_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                      const std::function<void(StateArchive&)>& state);

/// Calls `state` to read the checkpoint; false when it belongs to another stage. Throws FileError for a file that
/// cannot be read, is damaged or is not a checkpoint, InputError when its fingerprint (a JSON object, in which "data"
/// stands for what is called `data_name` in the message) is another. `warnings`, if given, says when the instruction
/// set differs.
bool read_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint, const std::string& data_name,
                     const std::function<void(StateArchive&)>& state, std::vector<std::string>* warnings = nullptr);

class CheckpointFile {
public:
    /// `model` says method, options and seed. Reads the signals for their hash if there is to be a checkpoint and
    /// `facts` does not have it.
    CheckpointFile(const Context& context, const Model& model, const SignalSource& source,
                   const std::optional<SignalFacts>& facts);

    /// Writes the file if it is due.
    void after_sweep(Run& run, RunMonitor& monitor);

    /// The run stops before its end: writes the file, so that it can be resumed later.
    void on_stop(Run& run, RunMonitor& monitor) const;

    /// Goes on where the file left off. A checkpoint of another stage is passed over, and left alone.
    void load(Run& run, RunMonitor& monitor, std::vector<std::string>& warnings);

private:
    void write(Run& run, RunMonitor& monitor) const;

    const Context& context_;
    std::string signals_;       // the name of the source
    bool passed_over_ = false;  // the file belongs to a later stage, which this one must not overwrite
    std::string fingerprint_;   // JSON: what must be the same for a run to go on
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace sbdl
