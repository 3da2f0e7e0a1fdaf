// What a method is given to learn from synthetic signals, such as those of the paper's Table I.
#pragma once

#include <string_view>

#include "sbdl/options.hpp"

namespace sbdl {

/// The standard preset, with what the method needs besides: signals have `sparsity` atoms of unit norm and standard
/// Gaussian codes. Throws InputError for a name that is not a method's.
AnyOptions synthetic_options(std::string_view method, int atoms, int sparsity);

}  // namespace sbdl
