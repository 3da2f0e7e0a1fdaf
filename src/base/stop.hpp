// Requests to stop a call. Work checks for a request to stop between pieces of less than a second: parallel_for()
// before every item; long work on one thread calls look_for_stop().
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace sbdl {

/// While it exists, work on this thread, and on the threads of its parallel_for() loops, ends with Stopped once `stop`
/// has returned true. Only this thread calls `stop`, which must outlive the scope; the others see what it returned. An
/// empty function changes nothing: a scope around this one still counts.
class StopScope {
public:
    explicit StopScope(const std::function<bool()>& stop);
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;
    ~StopScope();

private:
    friend bool stop_requested();
    bool requested();

    const std::function<bool()>& stop_;
    std::thread::id maker_ = std::this_thread::get_id();
    std::atomic<bool> requested_{false};
    StopScope* before_;
};

/// Whether the work on this thread should end.
bool stop_requested();

/// Throws Stopped if it should.
void look_for_stop();

/// The scope that counts on this thread; null: none.
StopScope* stop_scope();

/// While it exists, this thread works for another one, whose scope counts.
class WorksUnder {
public:
    explicit WorksUnder(StopScope* scope);
    WorksUnder(const WorksUnder&) = delete;
    WorksUnder& operator=(const WorksUnder&) = delete;
    ~WorksUnder();

private:
    StopScope* before_;
};

}  // namespace sbdl
