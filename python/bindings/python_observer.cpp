#include "python_observer.hpp"

namespace sbdl::python {

Flow PythonObserver::on_sweep(const SweepReport& report) {
    const nb::gil_scoped_acquire gil;
    bool wanted = false;
    stop_.look();
    if (!stop_.noted() && !stop_.failed() && !callback_.is_none()) {
        try {
            // A copy: the callback may keep it.
            wanted = callback_(nb::cast(SweepReport(report))).is(nb::bool_(true));
        } catch (...) {
            stop_.keep_exception();
        }
    }
    return wanted || stop_.noted() || stop_.failed() ? Flow::stop : Flow::go_on;
}

}  // namespace sbdl::python
