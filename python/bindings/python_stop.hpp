// How Python ends a call of the core, which works without the GIL: by Ctrl-C, and by exceptions of functions that the
// core calls. No exception passes through the core: it is kept, the core is asked to stop, and throws Stopped.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

#include "sbdl/context.hpp"
#include "sbdl/error.hpp"

namespace sbdl::python {

namespace nb = nanobind;

/// To be created and destroyed with the GIL.
class PythonStop {
public:
    /// While this is set, a first Ctrl-C does not end the call: it is noted, and what is learned ends early.
    void set_gentle(bool gentle) { gentle_ = gentle; }

    /// look() calls this, too, with the GIL. It does not throw: it calls keep_exception(). Whatever it needs must
    /// outlive the call of the core.
    void set_also_look(std::function<void()> also_look) { also_look_ = std::move(also_look); }

    /// Runs pending signal handlers. Needs the GIL; only in Python's main thread are there handlers to run.
    void look();
    /// Keeps the exception that is being handled: a KeyboardInterrupt as by look(), any other ends the call. Needs the
    /// GIL.
    void keep_exception();

    /// Set when Ctrl-C was noted.
    [[nodiscard]] const std::atomic<bool>& noted() const { return noted_; }
    /// Whether the call has to end.
    [[nodiscard]] bool failed() const { return failed_; }

    /// Execution::stop: looks a few times a second.
    bool operator()();
    void watch(Execution& execution) {
        execution.stop = [this] { return (*this)(); };
    }

    /// Runs a call of the core without the GIL. Throws what was kept, if it was stopped or something was kept.
    template <class Call>
    void run(const Call& call);

private:
    std::atomic<bool> gentle_{false}, noted_{false}, failed_{false};
    std::exception_ptr failure_;  // the GIL guards it
    std::function<void()> also_look_;
    std::chrono::steady_clock::time_point next_look_{};
};

template <class Call>
void PythonStop::run(const Call& call) {
    try {
        const nb::gil_scoped_release others_may_run;
        call();
    } catch (const Stopped&) {
        if (!failure_) throw;
    }
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace sbdl::python
