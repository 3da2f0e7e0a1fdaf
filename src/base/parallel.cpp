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

constexpr int most_threads = 1024;  // more is a typing error

}  // namespace

int resolve_threads(int asked) {
    if (asked < 0 || asked > most_threads) {
        throw InputError(fmt::format("threads: {} is not between 0 (one a core) and {}", asked, most_threads));
    }
    // OpenMP's own default: the cores this process may run on, or OMP_NUM_THREADS.
    return asked > 0 ? asked : std::clamp(omp_get_max_threads(), 1, most_threads);
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body) {
    const int team = static_cast<int>(std::min(count, static_cast<std::size_t>(std::max(threads, 1))));
    if (team <= 1 || WorkerTeam::busy()) {  // a loop inside a loop: the threads have work already
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

}  // namespace sbdl
