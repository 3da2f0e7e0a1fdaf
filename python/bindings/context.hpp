// How a run executes, from the arguments that every function of the module takes.
#pragma once

#include <cstdint>
#include <string>

#include "sbdl/context.hpp"

namespace sbdl::python {

inline Context context_for(std::uint64_t seed, int threads) {
    Context context;
    context.seed = seed;
    context.execution.threads = threads;
    return context;
}

}  // namespace sbdl::python
