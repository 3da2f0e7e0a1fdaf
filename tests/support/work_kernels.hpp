// Kernels whose work a test defines, to test the pass itself.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "kernels/kernel_set.hpp"

namespace sbdl::test {

using BlockWork = std::function<void(const BlockView&, SufficientStats&, Workspace&)>;

/// Does `work` on every block, whatever the sweep.
class WorkKernel final : public GibbsKernel {
public:
    explicit WorkKernel(const BlockWork& work) : work_(work) {}
    void begin_sweep(const GibbsSweep&) override {}
    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        work_(view, stats, workspace);
    }

private:
    const BlockWork& work_;
};

/// A set of such kernels. `work` may be replaced between sweeps.
class WorkKernels final : public KernelSet {
public:
    explicit WorkKernels(BlockWork first) : work(std::move(first)) {}
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return std::make_unique<WorkKernel>(work); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return reference_kernels().vb(); }

    BlockWork work;
};

}  // namespace sbdl::test
