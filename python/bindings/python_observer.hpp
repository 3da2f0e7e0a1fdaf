// Between sweeps, a run that works without the GIL takes it for a moment to call a callback and to check for Ctrl-C.
// No exception passes through the learner: it is kept, and thrown once the run has ended.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "sbdl/observer.hpp"

namespace sbdl::python {

namespace nb = nanobind;

class PythonObserver final : public Observer {
public:
    /// `callback` is called with each SweepReport and ends the run by returning True; it may be None. To be created and
    /// destroyed with the GIL.
    explicit PythonObserver(nb::object callback) : callback_(std::move(callback)) {}

    Flow on_sweep(const SweepReport& report) override;

    /// Whether Ctrl-C ended the run.
    [[nodiscard]] bool interrupted() const { return interrupted_; }
    [[nodiscard]] bool failed() const { return failure_ != nullptr; }
    /// Throws what the callback, or a signal handler, threw.
    void throw_again() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    nb::object callback_;
    std::exception_ptr failure_;
    bool interrupted_ = false;
};

/// Runs pending signal handlers. True when one of them raised KeyboardInterrupt, which is then cleared; other
/// exceptions are thrown. Needs the GIL; only in Python's main thread are there handlers to run.
bool interrupt_pending();

}  // namespace sbdl::python
