// Threads that help the thread that made them, and sleep in between. OpenMP's threads spin for milliseconds while they
// wait: many short loops then cost as much processor time as a long one, and on a busy machine they take that time from
// the threads they wait for.
#pragma once

#include <functional>
#include <memory>

namespace sbdl {

class WorkerTeam {
public:
    WorkerTeam();
    WorkerTeam(const WorkerTeam&) = delete;
    WorkerTeam& operator=(const WorkerTeam&) = delete;
    ~WorkerTeam();

    /// Calls job(0) on the caller and job(thread) on those of threads 1 ... threads - 1 that wake up before it returns:
    /// a job takes its work piece by piece, so that late threads do not matter. Returns when all calls have returned.
    /// The job must not throw. Threads are created as needed; if the system has no more, fewer help.
    void run(int threads, const std::function<void(int thread)>& job);

    /// The team of the calling thread, kept until that thread ends. A forked process gets a new one, because the old
    /// team's threads do not exist there.
    static WorkerTeam& mine();

    /// Whether this thread is inside run() of some team, as the caller or as one of its threads.
    static bool busy();

private:
    class Crew;
    std::unique_ptr<Crew> crew_;
};

}  // namespace sbdl
