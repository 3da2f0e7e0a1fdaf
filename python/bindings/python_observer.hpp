// Between sweeps, a run that works without the GIL takes it for a moment: to tell a callback, and to see whether Ctrl-C
// was pressed. Neither lets an exception pass through the learner; it is kept, and thrown once the run has ended.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "sbdl/observer.hpp"

namespace sbdl::python {

namespace nb = nanobind;

class PythonObserver final : public Observer {
public:
    /// `callback` is called with each SweepReport and ends the run by returning True; None: nobody is told. To be made
    /// and destroyed with the GIL.
    explicit PythonObserver(nb::object callback) : callback_(std::move(callback)) {}

    Flow on_sweep(const SweepReport& report) override;

    /// Whether Ctrl-C ended the run.
    [[nodiscard]] bool interrupted() const { return interrupted_; }
    /// Throws what the callback, or a signal handler, threw.
    void throw_again() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    nb::object callback_;
    std::exception_ptr failure_;
    bool interrupted_ = false;
};

/// Runs the signal handlers that are due. True when one of them raised KeyboardInterrupt, which is thereby dealt with;
/// other exceptions are thrown. Needs the GIL; only Python's main thread ever has such a handler to run.
bool interrupt_pending();

}  // namespace sbdl::python
