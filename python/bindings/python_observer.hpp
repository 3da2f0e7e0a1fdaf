// Between sweeps, a run that works without the GIL takes it for a moment to call a callback and to check for Ctrl-C.
#pragma once

#include "python_stop.hpp"
#include "sbdl/observer.hpp"

namespace sbdl::python {

class PythonObserver final : public Observer {
public:
    /// `callback` is called with each SweepReport and ends the run by returning True; it may be None. To be created and
    /// destroyed with the GIL.
    PythonObserver(nb::object callback, PythonStop& stop) : callback_(std::move(callback)), stop_(stop) {}

    Flow on_sweep(const SweepReport& report) override;

private:
    nb::object callback_;
    PythonStop& stop_;
};

}  // namespace sbdl::python
