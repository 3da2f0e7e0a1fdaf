// Learn a dictionary from signals.
//
//     sbdl::MemorySource source{rows};
//     sbdl::TrainResult result = sbdl::train(source, sbdl::GibbsOptions::preset(sbdl::Preset::standard, 50));
//     result.model.dictionary;   // 50 unit-norm atoms
//     result.model.noise_sd;     // inferred
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/model.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/options.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

enum class StopReason {
    sweeps_done,  ///< every planned sweep was made
    converged,    ///< the bound settled (VB)
    time_limit,   ///< Context::time_limit_s had passed
    observer      ///< an observer asked to stop; in words "interrupted"
};
constexpr std::array<std::string_view, 4> words_of(StopReason) {
    return {"sweeps_done", "converged", "time_limit", "interrupted"};
}

struct TrainResult {
    Model model;
    StopReason reason = StopReason::sweeps_done;
    int sweeps = 0;  ///< made, over all chains
    double seconds = 0.0;
    Matrix reconstruction;              ///< signals x dim, if Context::reconstruct is set; empty otherwise
    std::vector<std::string> warnings;  ///< requests that were changed or could not be met, one sentence each
    /// Messages of the exceptions that observers threw, in order. The run went on; such an observer was not called for
    /// the following sweeps.
    std::vector<std::string> observer_errors;
    /// Why checkpoints could not be written, for example because the disk is full; empty: they could. The run went on
    /// without them. The sentence is among the warnings, too.
    std::string checkpoint_error;
};

/// Learns by the method whose options these are. Throws InputError for options or signals that cannot be used, and for
/// a checkpoint that does not fit them. Same seed, same result, for any number of threads.
TrainResult train(const SignalSource& signals, const AnyOptions& options, const Context& context = {},
                  std::span<Observer* const> observers = {});

/// The Checkpoint::note of the run that wrote the checkpoint. Throws FileError for a file that is not a checkpoint.
std::string read_checkpoint_note(const std::filesystem::path& path);

}  // namespace sbdl
