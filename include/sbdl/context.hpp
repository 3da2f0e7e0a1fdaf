// How a run executes, what it starts from, and how it survives a kill. Execution does not change the result: threads
// and ranks not at all, kernels only the rounding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace sbdl {

struct Model;
class Ranks;

/// Where the work is done.
struct Execution {
    int threads = 0;              ///< 0: one per core
    std::string kernels = "cpu";  ///< "cpu" (fast) or "reference" (reads like docs/math.md)
    /// Bytes that this process, or all ranks of its machine (Ranks::on_this_machine), may take for a run of train(),
    /// apart from some 50 MB for each program; 0: no limit. Methods that can (Capabilities::on_disk) keep the codes on
    /// disk that do not fit. The others do not start.
    double memory_bytes = 0.0;
    /// The folder for these codes, in files without a name: nothing is left of them. Empty: the folder of the
    /// checkpoint, or else that of temporary files.
    std::filesystem::path scratch{};
    /// The processes that share a run, for methods that can; null: this one alone. They must outlive it.
    Ranks* ranks = nullptr;
    /// Asked between two pieces of work, by the thread that made the call: once it returns true, the call ends within
    /// a second by throwing Stopped. A checkpoint that was written is kept. Empty: the call is not stopped.
    std::function<bool()> stop{};
};

/// A file from which a killed run can be resumed. It is written whole or not at all. The caller removes it once the
/// result is saved.
struct Checkpoint {
    std::filesystem::path path{};  ///< empty: no checkpoint (the braces: initializers may leave it out)
    /// Seconds between two checkpoints, each written after a sweep, and at least ten times what the last one took; 0:
    /// after every sweep.
    double every_s = 60.0;
    std::string note{};   ///< any text of the caller's; read_checkpoint_note() returns it
    std::string stage{};  ///< which of the caller's runs this is; a checkpoint of another stage is ignored
    bool resume = false;  ///< resume from the file, which must exist and match the data and the options
};

struct Context {
    Execution execution{};
    std::uint64_t seed = 0;  ///< the only source of randomness
    /// Stop after the sweep that reaches this limit, which restarts when a run is resumed; 0: none.
    double time_limit_s = 0.0;
    /// Warm start: begin with this model's dictionary and noise instead of signals. It must outlive the run.
    const Model* start = nullptr;
    Checkpoint checkpoint{};
    bool reconstruct = false;  ///< also return the posterior mean of every signal (methods that accept missing entries)
};

}  // namespace sbdl
