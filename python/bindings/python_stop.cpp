#include "python_stop.hpp"

namespace sbdl::python {

void PythonStop::look() {
    try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    } catch (...) {
        keep_exception();
    }
    if (also_look_ && !failed_) also_look_();
}

void PythonStop::keep_exception() {
    try {
        throw;
    } catch (nb::python_error& error) {
        if (gentle_ && !noted_ && error.matches(PyExc_KeyboardInterrupt)) {
            noted_ = true;
            return;
        }
        if (!failure_) failure_ = std::current_exception();
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
    failed_ = true;
}

bool PythonStop::operator()() {
    constexpr std::chrono::milliseconds between_looks{50};
    const auto now = std::chrono::steady_clock::now();
    if (failed_ || now < next_look_) return failed_;
    next_look_ = now + between_looks;
    const nb::gil_scoped_acquire gil;
    look();
    return failed_;
}

}  // namespace sbdl::python
