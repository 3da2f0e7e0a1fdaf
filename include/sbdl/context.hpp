// Where and how a run executes. Nothing here changes what is computed beyond rounding; threads change nothing at all.
#pragma once

#include <cstdint>
#include <string>

namespace sbdl {

struct Context {
    int threads = 0;              ///< 0: as many as the machine has cores
    std::uint64_t seed = 0;       ///< the whole of the randomness
    std::string kernels = "cpu";  ///< "cpu" (fast) or "reference" (reads like docs/math.md)
    double time_limit_s = 0.0;    ///< stop after the sweep in which this is passed; 0: no limit
};

}  // namespace sbdl
