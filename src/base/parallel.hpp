// parallel_for: a loop over independent items that carries the first exception out of its threads.
#pragma once

#include <cstddef>
#include <functional>

namespace sbdl {

/// The number of threads to use for `asked` (0: one a core).
int resolve_threads(int asked);

/// Calls body(item, thread) for item = 0 ... count - 1 on up to `threads` threads. Items are handed out one by one; the
/// result must not depend on which thread runs which. After a throw no further item is started; the exception of the
/// lowest-numbered item that threw is thrown again here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body);

}  // namespace sbdl
