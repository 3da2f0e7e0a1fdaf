// A method's options from a dict, and a description of them for Python: both read the described options, so that names,
// bounds, defaults and help are written once, in C++.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "sbdl/options.hpp"

namespace sbdl::python {

namespace nb = nanobind;

/// Sets the options that `values` names. A name that is not an option's is rejected, except `extra`.
void read_into(const nb::dict& values, const std::vector<OptionRef>& options, const char* extra = "");

/// One dict per option: name, type, words of a choice, least, least_allowed, most, default, help; `optional` when it
/// may have no value; `needed` when neither preset nor method then has one.
nb::list describe_options(const std::vector<OptionRef>& options);

}  // namespace sbdl::python
