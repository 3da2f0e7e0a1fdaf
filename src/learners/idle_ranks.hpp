// A warning for runs that are shared by too many ranks.
#pragma once

#include <string>
#include <vector>

#include "sbdl/context.hpp"

namespace sbdl {

/// Warns if the signals are divided into fewer parts than there are ranks.
void warn_of_idle_ranks(const Execution& execution, std::size_t parts, std::vector<std::string>& warnings);

}  // namespace sbdl
