#include "base/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/worker_team.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr int most_threads = 1024;  // more is a typo

}  // namespace

int resolve_threads(int requested) {
    if (requested < 0 || requested > most_threads) {
        throw InputError(fmt::format("threads: {} is not between 0 (one per core) and {}", requested, most_threads));
    }
    // OpenMP's default: the cores on which this process may run, or OMP_NUM_THREADS.
    return requested > 0 ? requested : std::clamp(omp_get_max_threads(), 1, most_threads);
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body) {
    const int team = static_cast<int>(std::min(count, static_cast<std::size_t>(std::max(threads, 1))));
    if (team <= 1 || WorkerTeam::busy()) {  // in a nested loop all threads already have work
        for (std::size_t item = 0; item < count; ++item) body(item, 0);
        return;
    }

    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex failure_mutex;
    std::size_t failed_item = count;
    std::exception_ptr failure;

    WorkerTeam::mine().run(team, [&](int thread) {
        while (!failed.load(std::memory_order_relaxed)) {
            const std::size_t item = next.fetch_add(1, std::memory_order_relaxed);
            if (item >= count) break;
            try {
                body(item, thread);
            } catch (...) {
                failed.store(true, std::memory_order_relaxed);
                const std::lock_guard lock(failure_mutex);
                if (item < failed_item) {
                    failed_item = item;
                    failure = std::current_exception();
                }
            }
        }
    });
    if (failure) std::rethrow_exception(failure);
}

void parallel_for(const Partition& pieces, int threads,
                  const std::function<void(const IndexRange& piece, int thread)>& body) {
    parallel_for(pieces.number(), threads, [&](std::size_t piece, int thread) { body(pieces[piece], thread); });
}

}  // namespace sbdl
