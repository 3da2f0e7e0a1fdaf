#include "base/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr int most_threads = 1024;  // more is a typo

// How often a thread yields its core before it goes to sleep: about 20 microseconds, which bridge the gap between two
// consecutive loops.
constexpr int yields = 50;

// Whether this thread is inside run() of some team, as the caller or as one of its threads.
thread_local bool inside = false;

/// Marks this thread as busy while it exists.
class Inside {
public:
    Inside() { inside = true; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside = false; }
};

/// Threads that help the thread that made them, and sleep in between. OpenMP's threads spin for milliseconds while they
/// wait: many short loops then cost as much processor time as a long one, and on a busy machine they take that time
/// from the threads they wait for.
class WorkerTeam {
public:
    WorkerTeam() = default;
    WorkerTeam(const WorkerTeam&) = delete;
    WorkerTeam& operator=(const WorkerTeam&) = delete;
    ~WorkerTeam() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
            ++round_;
        }
        begun_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    /// Calls job(0) on the caller and job(thread) on those of threads 1 ... threads - 1 that wake up before it returns:
    /// a job takes its work piece by piece, so that late threads do not matter. Returns when all calls have returned.
    /// The job must not throw. Threads are created as needed; if the system has no more, fewer help.
    void run(int threads, const std::function<void(int thread)>& job) {
        const std::size_t helpers = hire(static_cast<std::size_t>(std::max(threads, 1)) - 1);
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            places_ = helpers;
            ++round_;
        }
        begun_.notify_all();
        {
            const Inside here;
            job(0);
        }
        std::unique_lock lock(mutex_);
        places_ = 0;  // threads that have not begun yet need not
        done_.wait(lock, [this] { return working_ == 0; });
    }

    [[nodiscard]] bool of_this_process() const { return process_ == getpid(); }

private:
    std::size_t hire(std::size_t wanted) {
        try {
            while (workers_.size() < wanted)
                workers_.emplace_back([this, me = workers_.size(), seen = round_.load()] { work(me, seen); });
        } catch (const std::system_error&) {  // no more threads: the existing ones do the work
        }
        return std::min(wanted, workers_.size());
    }

    void work(std::size_t me, unsigned seen) {
        const Inside here;
        while (true) {
            for (int i = 0; i < yields && round_.load(std::memory_order_relaxed) == seen; ++i)
                std::this_thread::yield();
            std::unique_lock lock(mutex_);
            begun_.wait(lock, [&] { return round_.load() != seen; });
            seen = round_.load();
            if (over_) return;
            if (me >= places_) continue;  // not needed in this round, or too late
            const auto& job = *job_;
            ++working_;
            lock.unlock();
            job(static_cast<int>(me) + 1);
            lock.lock();
            if (--working_ == 0) done_.notify_one();
        }
    }

    const pid_t process_ = getpid();
    std::mutex mutex_;
    std::condition_variable begun_, done_;
    std::atomic<unsigned> round_ = 0;  // written under the mutex; read without it only to notice a change
    bool over_ = false;
    const std::function<void(int)>* job_ = nullptr;
    std::size_t places_ = 0;   // for workers in this round
    std::size_t working_ = 0;  // workers in the job
    std::vector<std::thread> workers_;
};

// In a forked process the threads do not exist, and waiting for them would never end: they are not touched.
struct EndInItsProcess {
    void operator()(WorkerTeam* team) const {
        if (team->of_this_process()) delete team;
    }
};

/// The team of the calling thread, kept until that thread ends. A forked process gets a new one.
WorkerTeam& my_team() {
    thread_local std::unique_ptr<WorkerTeam, EndInItsProcess> team;
    if (!team || !team->of_this_process()) team.reset(new WorkerTeam);
    return *team;
}

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
    if (team <= 1 || inside) {  // in a nested loop all threads already have work
        for (std::size_t item = 0; item < count; ++item) body(item, 0);
        return;
    }

    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex failure_mutex;
    std::size_t failed_item = count;
    std::exception_ptr failure;

    my_team().run(team, [&](int thread) {
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
