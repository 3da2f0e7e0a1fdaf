// The core's errors become the built-in Python exceptions of the same meaning, with the same message. Running out of
// memory raises MemoryError already.
#include "bindings.hpp"
#include "sbdl/error.hpp"

namespace sbdl::python {

void bind_errors(nanobind::module_& /*module*/) {
    nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const InputError& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (const MissingFileError& e) {
            PyErr_SetString(PyExc_FileNotFoundError, e.what());
        } catch (const FileError& e) {
            PyErr_SetString(PyExc_OSError, e.what());
        } catch (const NumericError& e) {
            PyErr_SetString(PyExc_FloatingPointError, e.what());
        }
    });
}

}  // namespace sbdl::python
