// Learn a dictionary from signals.
//
//     sbdl::MemorySource source{rows};
//     sbdl::TrainResult result = sbdl::train(source, sbdl::GibbsOptions::preset(sbdl::Preset::standard, 50));
//     result.model.dictionary;   // 50 unit-norm atoms
//     result.model.noise_sd;     // nobody had to say it
#pragma once

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
    observer      ///< an observer said stop
};
std::string_view to_string(StopReason reason);

struct TrainResult {
    Model model;
    StopReason reason = StopReason::sweeps_done;
    int sweeps = 0;  ///< made, over all chains
    double seconds = 0.0;
    Matrix reconstruction;  ///< signals x dim, where it was asked for (BpfaOptions::reconstruct); empty otherwise
    std::vector<std::string> warnings;  ///< what was asked for and done otherwise, a sentence each
};

/// Throws InputError for options or signals that cannot be used. Same seed, same result, whatever the number of
/// threads.
TrainResult train(const SignalSource& signals, const GibbsOptions& options, const Context& context = {},
                  std::span<Observer* const> observers = {});
TrainResult train(const SignalSource& signals, const VbOptions& options, const Context& context = {},
                  std::span<Observer* const> observers = {});

}  // namespace sbdl
