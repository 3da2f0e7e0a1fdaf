// parallel_for: a loop over independent items on several threads, which passes on exceptions.
#pragma once

#include <cstddef>
#include <functional>

#include "base/partition.hpp"

namespace sbdl {

/// The number of threads to use for `requested` (0: one per core).
int resolve_threads(int requested);

/// Calls body(item, thread) for item = 0 ... count - 1 on up to `threads` threads. Items are handed out one by one; the
/// result must not depend on which thread runs which item. After an exception no further item is started, and the
/// exception of the lowest-numbered item that threw is rethrown here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body);

/// Calls body(piece, thread) for every piece of the partition, on up to `threads` threads.
void parallel_for(const Partition& pieces, int threads,
                  const std::function<void(const IndexRange& piece, int thread)>& body);

}  // namespace sbdl
