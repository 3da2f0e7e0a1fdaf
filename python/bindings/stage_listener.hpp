// Tells Python how far a denoising is.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "python_stop.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl::python {

namespace nb = nanobind;

/// Receives the progress: calls a Python function and checks for Ctrl-C, which in the stages of learning only ends the
/// learning. Threads of the core call it.
class StageListener {
public:
    StageListener(nb::object function, PythonStop& stop) : function_(std::move(function)), stop_(stop) {}

    void operator()(const DenoiseProgress& progress) {
        const nb::gil_scoped_acquire gil;
        stop_.set_gentle(progress.stage == "start" || progress.stage == "learn");
        stop_.look();
        if (!stop_.failed() && !function_.is_none()) {
            try {
                function_(std::string(progress.stage), progress.share, progress.seconds_left);
            } catch (...) {
                stop_.keep_exception();
            }
        }
        if (progress.stage == "noise") stop_.set_gentle(true);  // learning begins
    }

private:
    nb::object function_;
    PythonStop& stop_;
};

}  // namespace sbdl::python
