// Two threads of parallel_for write one plain variable, one after the other, because the sanitizer can miss two writes
// at the same moment. Each waits until both have arrived, so that neither does both items, and the second waits for the
// first write; the waiting uses relaxed memory order, so for the sanitizer it does not order the writes.
#include <atomic>
#include <cstdio>

#include "base/parallel.hpp"

int main() {
    long shared = 0;
    std::atomic<int> arrived{0};
    std::atomic<bool> written{false};
    sbdl::parallel_for(2, 2, [&](std::size_t item, int) {
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (arrived.load(std::memory_order_relaxed) < 2) {
        }
        while (item == 1 && !written.load(std::memory_order_relaxed)) {
        }
        ++shared;
        written.store(true, std::memory_order_relaxed);
    });
    std::printf("%ld\n", shared);
    return 0;
}
