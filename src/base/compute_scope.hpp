// The one place that decides how a computation runs: which instruction set its vector code uses (SBDL_CPU, or the
// best), and that BLAS does not start threads inside ours. train(), encode() and denoise() hold a scope.
#pragma once

#include <string>
#include <vector>

namespace sbdl {

/// The instruction sets that the library has vector code for and this machine can run, the simplest first: "baseline",
/// "avx2", "avx512".
std::vector<std::string> instruction_sets();

/// The one named by the environment variable SBDL_CPU, or the best when it is empty or not set. InputError when the
/// name is not one of instruction_sets().
std::string wanted_instruction_set();

/// While a scope exists, BLAS uses one thread per call (OpenBLAS, MKL and BLIS are supported; others are assumed to do
/// so), and vector code uses the instruction set named by SBDL_CPU. Nested and concurrent scopes are fine: the first
/// sets both, the last restores them. Throws InputError when SBDL_CPU names an instruction set that is not available.
class ComputeScope {
public:
    ComputeScope();
    ComputeScope(const ComputeScope&) = delete;
    ComputeScope& operator=(const ComputeScope&) = delete;
    ~ComputeScope();
};

}  // namespace sbdl
