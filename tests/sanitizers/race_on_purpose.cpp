// Two threads of parallel_for write one plain variable. Each waits until the other is there, so that neither can do
// both items; the relaxed order of the waiting keeps it from ordering the writes as well.
#include <atomic>
#include <cstdio>

#include "base/parallel.hpp"

int main() {
    long shared = 0;
    std::atomic<int> arrived{0};
    sbdl::parallel_for(2, 2, [&](std::size_t, int) {
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (arrived.load(std::memory_order_relaxed) < 2) {
        }
        ++shared;
    });
    std::printf("%ld\n", shared);
    return 0;
}
