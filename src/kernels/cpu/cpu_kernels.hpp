// The fast kernels: one signal per vector lane; Highway chooses the instruction set at run time.
#pragma once

#include <atomic>
#include <memory>

#include "kernels/cpu/gibbs_tables.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

/// How the cpu set draws Gibbs codes: each block on the path that is cheaper for it or, for tests and benchmarks, all
/// blocks on one path. (If M >= N there is only one.)
enum class GibbsPath { cheaper, dense, sparse };

/// How the blocks were drawn, over all threads.
struct GibbsPathCounts {
    std::atomic<std::uint64_t> sparse_tiles = 0, dense_tiles = 0, given_up = 0, steps = 0, active = 0, split = 0;

    void add(const GibbsPathSums& block) {
        sparse_tiles += block.sparse_tiles;
        dense_tiles += block.dense_tiles;
        given_up += block.given_up;
        steps += block.steps;
        active += block.active;
        split += block.split;
    }
};

/// `counts`, when given, must outlive the kernel.
std::unique_ptr<GibbsKernel> make_gibbs_cpu(GibbsPath path = GibbsPath::cheaper, GibbsPathCounts* counts = nullptr);
std::unique_ptr<VbKernel> make_vb_cpu();

/// The cpu set with Gibbs codes on the given path.
class CpuKernels final : public KernelSet {
public:
    explicit CpuKernels(GibbsPath path = GibbsPath::cheaper, GibbsPathCounts* counts = nullptr)
        : path_(path), counts_(counts) {}
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return make_gibbs_cpu(path_, counts_); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return make_vb_cpu(); }

private:
    GibbsPath path_;
    GibbsPathCounts* counts_;
};

}  // namespace sbdl
