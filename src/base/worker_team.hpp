// Threads that help the one that made them, and sleep in between. OpenMP's spin while they wait, for milliseconds: many
// short loops then cost as much processor time as one long one, and on a busy machine they take it from whoever is
// waited for.
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

    /// Calls job(0) on the caller and job(thread) on those of threads 1 ... threads - 1 that are there before it
    /// returns: a job takes what is to be done piece by piece, so that it does not matter who comes late. Returns when
    /// all have returned. The job must not throw. Threads are made as they are needed; when the system has no more,
    /// fewer help.
    void run(int threads, const std::function<void(int thread)>& job);

    /// The caller's own team, kept until it ends. In a process that was forked it is a new one: the threads of the old
    /// one stayed behind.
    static WorkerTeam& mine();

    /// Is this thread inside run() of some team, as its caller or as one of its threads?
    static bool busy();

private:
    class Crew;
    std::unique_ptr<Crew> crew_;
};

}  // namespace sbdl
