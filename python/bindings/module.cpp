// sbdl._core: the library as an extension module. Its functions take what the core takes; the package around it adds
// the names, defaults and checks that Python users expect.
#include "bindings.hpp"
#include "sbdl/version.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of sbdl; use the package sbdl instead.";
    module.attr("version") = sbdl::version();
    sbdl::python::bind_errors(module);
    sbdl::python::bind_model(module);
    sbdl::python::bind_train(module);
    sbdl::python::bind_encode(module);
    sbdl::python::bind_denoise(module);
    sbdl::python::bind_denoise_signal(module);
    sbdl::python::bind_denoise_stack(module);
    sbdl::python::bind_inpaint(module);
    sbdl::python::bind_stack_report(module);
    sbdl::python::bind_quality(module);
    sbdl::python::bind_synth(module);
}
