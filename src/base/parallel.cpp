#include "base/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/stop.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr int most_threads = 1024;  // larger values are taken for typos

// How long a thread that waits yields its core again and again before it goes to sleep. The gaps between consecutive
// loops of a learner are shorter than this, and waking fifteen threads takes longer than such a gap.
constexpr std::chrono::microseconds patience{200};

/// Returns once ready() is true or patience has run out.
template <class Ready>
void yield_until(const Ready& ready) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

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
///
/// Threads enter and leave a round by changing one number. With a mutex they would queue for it, some of them asleep,
/// and the last would begin long after the first.
class WorkerTeam {
public:
    WorkerTeam() = default;
    WorkerTeam(const WorkerTeam&) = delete;
    WorkerTeam& operator=(const WorkerTeam&) = delete;
    ~WorkerTeam() {
        over_ = true;
        begin_round();
        for (std::thread& worker : workers_) worker.join();
    }

    /// Calls job(0) on the caller and job(thread) on those of threads 1 ... threads - 1 that wake up before it returns:
    /// a job takes its work piece by piece, so that late threads do not matter. Returns when all calls have returned.
    /// The job must not throw. Threads are created as needed; if the system has no more, fewer help.
    void run(int threads, const std::function<void(int thread)>& job) {
        const std::size_t helpers = hire(static_cast<std::size_t>(std::max(threads, 1)) - 1);
        job_ = &job;
        gate_ = static_cast<std::uint32_t>(helpers) * place;
        begin_round();
        {
            const Inside here;
            job(0);
        }
        gate_ &= place - 1;  // threads that have not begun yet need not
        yield_until([this] { return gate_ == 0; });
        for (std::uint32_t working = gate_; working != 0; working = gate_) gate_.wait(working);
    }

    [[nodiscard]] bool of_this_process() const { return process_ == getpid(); }

private:
    void begin_round() {
        ++round_;
        round_.notify_all();
    }

    std::size_t hire(std::size_t wanted) {
        try {
            while (workers_.size() < wanted)
                workers_.emplace_back([this, me = workers_.size(), seen = round_.load()] { work(me, seen); });
        } catch (const std::system_error&) {  // no more threads: the existing ones do the work
        }
        return std::min(wanted, workers_.size());
    }

    /// Whether there is a place for this worker in the round: not if it is not needed, or too late.
    bool enter(std::size_t me) {
        std::uint32_t gate = gate_;
        while (gate / place > me)
            if (gate_.compare_exchange_weak(gate, gate + 1)) return true;
        return false;
    }

    void leave() {
        if (--gate_ == 0) gate_.notify_one();  // the caller has closed the gate, and this was the last
    }

    void work(std::size_t me, unsigned seen) {
        const Inside here;
        while (true) {
            yield_until([&] { return round_ != seen; });
            round_.wait(seen);
            seen = round_;
            if (over_) return;
            // By now a later round may have begun. Then this is a thread of that round, and will find nothing left in
            // it when it comes again.
            if (!enter(me)) continue;
            (*job_)(static_cast<int>(me) + 1);
            leave();
        }
    }

    static constexpr std::uint32_t place = 1U << 16;

    const pid_t process_ = getpid();
    std::atomic<unsigned> round_ = 0;
    std::atomic<bool> over_ = false;
    // The number of workers in the job, plus `place` times the number of workers that may enter; 0 between rounds.
    std::atomic<std::uint32_t> gate_ = 0;
    const std::function<void(int)>* job_ = nullptr;  // changes only while nobody can enter
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

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t item, int thread)>& body,
                  const Preparation& preparation) {
    const std::size_t pieces = preparation.pieces;
    const auto team = static_cast<int>(std::min(pieces + count, static_cast<std::size_t>(std::max(threads, 1))));
    if (team <= 1 || inside) {  // in a nested loop all threads already have work
        for (std::size_t piece = 0; piece < pieces; ++piece) preparation.work(piece);
        for (std::size_t item = 0; item < count; ++item) {
            look_for_stop();
            body(item, 0);
        }
        return;
    }

    std::atomic<std::size_t> next_piece{0}, prepared{0}, next{0};
    std::atomic<bool> failed{false};
    std::mutex failure_mutex;
    std::size_t failed_item = count;
    std::exception_ptr failure;
    StopScope* const scope = stop_scope();

    my_team().run(team, [&](int thread) {
        const WorksUnder callers(scope);
        for (std::size_t piece = next_piece++; piece < pieces; piece = next_piece++) {
            preparation.work(piece);
            ++prepared;
        }
        while (prepared < pieces) std::this_thread::yield();  // for pieces that other threads have begun
        // An item that is taken is run: others may wait for what it does.
        while (!failed.load(std::memory_order_relaxed) && !stop_requested()) {
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
    if (next < count) throw Stopped();
}

void parallel_for(const Partition& pieces, int threads,
                  const std::function<void(const IndexRange& piece, int thread)>& body) {
    parallel_for(pieces.number(), threads, [&](std::size_t piece, int thread) { body(pieces[piece], thread); });
}

}  // namespace sbdl
