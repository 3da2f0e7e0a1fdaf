// Between sweeps, a run that works without the GIL takes it for a moment to call a callback and to check for Ctrl-C.
#pragma once

#include <string>
#include <vector>

#include "python_stop.hpp"
#include "sbdl/observer.hpp"

namespace sbdl::python {

class PythonObserver final : public Observer {
public:
    /// `callback` is called with each SweepReport and ends the run by returning True; it may be None. What it raises
    /// becomes a warning, and the run goes on without it; only KeyboardInterrupt, SystemExit and the like end the run.
    /// To be created and destroyed with the GIL.
    PythonObserver(nb::object callback, PythonStop& stop) : callback_(std::move(callback)), stop_(stop) {}

    Flow on_sweep(const SweepReport& report) override;

    /// Adds what the callback raised.
    void add_to(std::vector<std::string>& warnings) const {
        if (!raised_.empty()) warnings.push_back(raised_);
    }

private:
    void call(const SweepReport& report);

    nb::object callback_;
    std::string raised_;
    bool wants_end_ = false;
    PythonStop& stop_;
};

}  // namespace sbdl::python
