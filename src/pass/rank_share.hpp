// Which signals a rank needs, for callers that hold only those.
#pragma once

#include <cstddef>

#include "base/partition.hpp"
#include "sbdl/methods.hpp"

namespace sbdl {

/// What number `place` of so many ranks with signals reads before the first sweep and in the sweeps of such a run, but
/// for the signals that all ranks compare (require_same_signals). Consecutive; of two ranks they may overlap by a
/// part of what the ranks divide: chunks, or in rounds the parts of pass/shared_parts.hpp.
IndexRange signals_of_rank(RunKind kind, std::size_t place, std::size_t ranks, std::size_t signals, std::size_t dim,
                           std::size_t atoms);

}  // namespace sbdl
