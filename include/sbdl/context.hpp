// Where and how a run executes, and what it starts from. Threads change nothing of the result, kernels only the
// rounding.
#pragma once

#include <cstdint>
#include <string>

namespace sbdl {

struct Model;

struct Context {
    int threads = 0;              ///< 0: as many as the machine has cores
    std::uint64_t seed = 0;       ///< the whole of the randomness
    std::string kernels = "cpu";  ///< "cpu" (fast) or "reference" (reads like docs/math.md)
    double time_limit_s = 0.0;    ///< stop after the sweep in which this is passed; 0: no limit
    /// Go on from this model's dictionary and noise instead of starting from signals; it must outlive the run.
    const Model* start = nullptr;
};

}  // namespace sbdl
