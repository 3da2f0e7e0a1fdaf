// The one place that decides how a computation runs: which instruction set its vector code uses (SBDL_CPU, or the
// best), and that BLAS does not start threads inside ours. Every entry of the library that computes holds a scope.
#pragma once

namespace sbdl {

/// While one lives, BLAS runs on one thread a call (OpenBLAS, MKL and BLIS are known; others are assumed to), and
/// vector code uses the instruction set that SBDL_CPU names. Nested and concurrent scopes are fine: the first sets
/// both, the last restores them. Throws InputError when SBDL_CPU names an instruction set that is not available.
class ComputeScope {
public:
    ComputeScope();
    ComputeScope(const ComputeScope&) = delete;
    ComputeScope& operator=(const ComputeScope&) = delete;
    ~ComputeScope();
};

}  // namespace sbdl
