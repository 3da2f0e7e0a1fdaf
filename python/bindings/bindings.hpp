// The parts of the extension module: each of these adds the functions and classes of one file.
#pragma once

#include <nanobind/nanobind.h>

namespace sbdl::python {

void bind_errors(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_train(nanobind::module_& module);
void bind_encode(nanobind::module_& module);
void bind_denoise(nanobind::module_& module);
void bind_denoise_signal(nanobind::module_& module);
void bind_denoise_stack(nanobind::module_& module);
void bind_inpaint(nanobind::module_& module);
void bind_stack_report(nanobind::module_& module);
void bind_quality(nanobind::module_& module);
void bind_synth(nanobind::module_& module);

}  // namespace sbdl::python
