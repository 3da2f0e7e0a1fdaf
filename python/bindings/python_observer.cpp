#include "python_observer.hpp"

namespace sbdl::python {

Flow PythonObserver::on_sweep(const SweepReport& report) {
    const nb::gil_scoped_acquire gil;
    stop_.look();
    if (!stop_.noted() && !stop_.failed() && !callback_.is_none() && raised_.empty()) call(report);
    return wants_end_ || stop_.noted() || stop_.failed() ? Flow::stop : Flow::go_on;
}

void PythonObserver::call(const SweepReport& report) {
    try {
        // A copy: the callback may keep it.
        wants_end_ = callback_(nb::cast(SweepReport(report))).is(nb::bool_(true));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) return stop_.keep_exception();
        raised_ = "The callback raised " + std::string(nb::repr(error.value()).c_str()) + " after sweep " +
                  std::to_string(report.sweep) + " and was not called again; the run went on without it.";
    } catch (...) {
        stop_.keep_exception();
    }
}

}  // namespace sbdl::python
