#include "kernels/cpu/cpu_kernels.hpp"

namespace sbdl {

const KernelSet& cpu_kernels() {
    static const CpuKernels set;
    return set;
}

}  // namespace sbdl
