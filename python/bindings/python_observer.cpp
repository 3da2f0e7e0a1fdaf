#include "python_observer.hpp"

namespace sbdl::python {

bool interrupt_pending() {
    if (PyErr_CheckSignals() == 0) return false;
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    return true;
}

Flow PythonObserver::on_sweep(const SweepReport& report) {
    const nb::gil_scoped_acquire gil;
    try {
        if (interrupt_pending()) {
            interrupted_ = true;
            return Flow::stop;
        }
        if (callback_.is_none()) return Flow::go_on;
        // A copy: the callback may keep it.
        const nb::object answer = callback_(nb::cast(SweepReport(report)));
        return answer.is(nb::bool_(true)) ? Flow::stop : Flow::go_on;
    } catch (nb::python_error& error) {
        // Ctrl-C may also arrive while the callback runs.
        interrupted_ = error.matches(PyExc_KeyboardInterrupt);
        if (!interrupted_) failure_ = std::current_exception();
    } catch (...) {
        failure_ = std::current_exception();
    }
    return Flow::stop;
}

}  // namespace sbdl::python
