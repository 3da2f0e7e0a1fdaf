// How the program ends when there is no memory at all.
#pragma once

#include <string_view>

namespace sbdl::app {

inline constexpr std::string_view out_of_memory_text = "out of memory";

/// From now on, if not even a small piece of memory can be had, the program says "WHO: out of memory", removes its
/// unfinished files and ends with exit status 1, there and then: to unwind and to format a message takes memory, and
/// other libraries do not survive its lack. A request that was just too large still throws std::bad_alloc.
void end_when_out_of_memory(std::string_view who);

}  // namespace sbdl::app
