// What methods that accept missing entries say about them before a run begins.
#pragma once

#include <string>
#include <vector>

#include "pass/signal_scan.hpp"

namespace sbdl {

/// Signals without any observed entry.
enum class EmptySignals {
    refused,
    left_out  ///< with a warning
};

/// Throws InputError if no entry at all is observed, or for a signal that is refused; adds warnings.
void check_gaps(const SignalSource& source, const SignalFacts& facts, EmptySignals empty,
                std::vector<std::string>& warnings);

}  // namespace sbdl
