// ./dev bench machine: the limits of this machine, for the roofline of docs/performance.md: the rate of matrix
// products, the memory bandwidth, and the sizes of the caches.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"

namespace {

using namespace sbdl;

/// Bytes per second of a[i] = b[i] + s c[i] over arrays that do not fit into any cache: two are read and one is
/// written, 24 bytes per entry, as usually counted (without the cache line that is fetched before it is written).
double triad_rate(int threads) {
    constexpr std::size_t entries_per_thread = 16'000'000;
    const std::size_t entries = entries_per_thread * static_cast<std::size_t>(threads);
    std::vector<double> a(entries), b(entries, 1.0), c(entries, 2.0);
    double best = 1e300;
    for (int round = 0; round < 5; ++round)
        best = std::min(best, bench::seconds_of([&] {
                            parallel_for(static_cast<std::size_t>(threads), threads, [&](std::size_t part, int) {
                                const std::size_t end = (part + 1) * entries_per_thread;
                                for (std::size_t i = part * entries_per_thread; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
                            });
                        }));
    return 24.0 * static_cast<double>(entries) / best;
}

}  // namespace

int main(int count, char** arguments) {
    const bench::Figures figures(count, arguments);
    const ComputeScope scope;
    std::vector<int> thread_counts{1};
    if (const int all = resolve_threads(0); all > 1) thread_counts.push_back(all);
    fmt::print("{:>7} {:>14} {:>14} {:>16}\n", "threads", "DGEMM GFLOP/s", "triad GB/s", "flops per byte");
    for (const int threads : thread_counts) {
        const double flops = bench::dgemm_rate(threads), bytes = triad_rate(threads);
        fmt::print("{:>7} {:>14.1f} {:>14.1f} {:>16.2f}\n", threads, 1e-9 * flops, 1e-9 * bytes, flops / bytes);
        figures.add(fmt::format("machine/DGEMM/threads {}", threads), 1e-9 * flops, "GFLOP/s", bench::Better::higher);
        figures.add(fmt::format("machine/triad/threads {}", threads), 1e-9 * bytes, "GB/s", bench::Better::higher);
    }
    for (const auto& [name, key] : {std::pair{"L1", _SC_LEVEL1_DCACHE_SIZE}, std::pair{"L2", _SC_LEVEL2_CACHE_SIZE},
                                    std::pair{"L3", _SC_LEVEL3_CACHE_SIZE}})
        fmt::print("{} cache {} KiB\n", name, sysconf(key) / 1024);
    return 0;
}
