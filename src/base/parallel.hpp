// parallel_for: a loop over independent items on several threads, which passes on exceptions and requests to stop.
#pragma once

#include <cstddef>
#include <functional>

#include "base/partition.hpp"

namespace sbdl {

/// The number of threads to use for `requested` (0: one per core).
int resolve_threads(int requested);

/// Short work that must be done before the items of a loop: work(piece) for piece = 0 ... pieces - 1. It must not
/// throw.
struct Preparation {
    std::size_t pieces = 0;
    std::function<void(std::size_t piece)> work = {};
};

/// Calls body(item, thread) for item = 0 ... count - 1 on up to `threads` threads. Items are handed out one by one; the
/// result must not depend on which thread runs which item. After an exception no further item is started, and the
/// exception of the lowest-numbered item that threw is rethrown here. The same if the work should end (base/stop.hpp):
/// items that are left throw Stopped.
///
/// The threads share the preparation too. A loop of its own would do the same, but they would stop between the two.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body,
                  const Preparation& preparation = {});

/// Calls body(piece, thread) for every piece of the partition, on up to `threads` threads.
void parallel_for(const Partition& pieces, int threads,
                  const std::function<void(const IndexRange& piece, int thread)>& body);

}  // namespace sbdl
