#include "base/worker_team.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sbdl {
namespace {

// How often a thread yields its core before it goes to sleep: about 20 microseconds, which bridge the gap between two
// consecutive loops.
constexpr int yields = 50;

thread_local bool inside = false;

/// Marks this thread as busy while it exists.
class Inside {
public:
    Inside() { inside = true; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside = false; }
};

}  // namespace

class WorkerTeam::Crew {
public:
    ~Crew() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
            ++round_;
        }
        begun_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

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

WorkerTeam::WorkerTeam() : crew_(std::make_unique<Crew>()) {}

WorkerTeam::~WorkerTeam() {
    // In a forked process the threads do not exist, and waiting for them would never end: they are not touched.
    if (!crew_->of_this_process()) (void)crew_.release();
}

void WorkerTeam::run(int threads, const std::function<void(int thread)>& job) {
    crew_->run(threads, job);
}

WorkerTeam& WorkerTeam::mine() {
    thread_local WorkerTeam team;
    if (!team.crew_->of_this_process()) {
        (void)team.crew_.release();
        team.crew_ = std::make_unique<Crew>();
    }
    return team;
}

bool WorkerTeam::busy() {
    return inside;
}

}  // namespace sbdl
