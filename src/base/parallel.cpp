#include "base/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

// OpenMP ends the whole program when it cannot make a thread, which a library must not let happen for a typing error.
constexpr int most_threads = 1024;

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
    if (team <= 1) {
        for (std::size_t item = 0; item < count; ++item) body(item, 0);
        return;
    }

    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex failure_mutex;
    std::size_t failed_item = count;
    std::exception_ptr failure;

#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
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
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sbdl
