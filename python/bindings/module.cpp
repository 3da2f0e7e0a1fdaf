// sbdl._core: the library as Python sees it. The functions here take what the core takes; names, defaults and checks
// that Python users expect are the business of the package around it.
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
    sbdl::python::bind_quality(module);
    sbdl::python::bind_synth(module);
}
