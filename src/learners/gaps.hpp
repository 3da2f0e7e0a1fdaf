// What methods that accept missing entries say about them before a run begins.
#pragma once

#include <string>
#include <vector>

#include "pass/signal_scan.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// How many sweeps a search takes with a share f of the entries missing, if it takes `sweeps` with none: successive
/// draws of an atom have the correlation f at least (docs/math.md, K3), so that (1 + f) / (1 - f) of them are worth
/// one. At most `most`, and never fewer than `sweeps`.
int sweeps_with_gaps(int sweeps, int most, const SignalSource& source, const SignalFacts& facts);

/// Throws InputError if no entry at all is observed, or for a signal that is refused; adds warnings.
void check_gaps(const SignalSource& source, const SignalFacts& facts, EmptySignals empty,
                std::vector<std::string>& warnings);

}  // namespace sbdl
