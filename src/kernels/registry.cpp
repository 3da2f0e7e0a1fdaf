// The list of kernel sets.
#include <fmt/format.h>

#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/kernel_set.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

const KernelSet& cpu_kernels() {
    static const CpuKernels set;
    return set;
}

const KernelSet& kernel_set(std::string_view name) {
    if (name == "cpu") return cpu_kernels();
    if (name == "reference") return reference_kernels();
    throw InputError(fmt::format("unknown kernels '{}'; available: {}", name, fmt::join(kernel_set_names(), ", ")));
}

std::vector<std::string> kernel_set_names() {
    return {"cpu", "reference"};
}

}  // namespace sbdl
