// Runs of methods that do not expect signals without any observed entry.
#pragma once

#include "run/method_info.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// The run of begin(), for a method that does not expect signals without any observed entry. If they are to be ignored,
/// begin() gets the others alone, which takes one more read, and what the run returns for the signals has zeros for
/// them.
BegunRun begin_with_observed(const RunInput& input, EmptySignals empty, BegunRun (*begin)(const RunInput&));

}  // namespace sbdl
