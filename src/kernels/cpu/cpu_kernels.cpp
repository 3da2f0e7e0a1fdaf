#include "kernels/cpu/cpu_kernels.hpp"

namespace sbdl {

namespace {

class CpuKernels final : public KernelSet {
public:
    [[nodiscard]] std::string_view name() const override { return "cpu"; }
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return make_gibbs_cpu(); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return make_vb_cpu(); }
};

}  // namespace

const KernelSet& cpu_kernels() {
    static const CpuKernels set;
    return set;
}

}  // namespace sbdl
