// The interface between learners and the code for a machine: one pass over a block of signals. A learner gives a kernel
// the dictionary and the priors once per sweep, then one block after another; the kernel adds to the statistics and
// updates codes and their variances in place.
//
// Layout of a block's code state, chosen so that vector lanes are signals:
//
//     code_var[n * block_size + l]     n = 0 ... N-1 atoms, l = 0 ... count-1 signals of the block
//
// `code_var` is 1/alpha (Gibbs) or 1/<alpha> (VB): the current prior variance of each code entry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned.hpp"
#include "statistics/sufficient_stats.hpp"

namespace sbdl {

struct GammaPrior {
    double shape = 0.5;
    double rate = 1e-6;
};

/// Signals in a block. The same for every kernel set and instruction set, because blocks fix the order of every sum.
constexpr std::size_t block_size = 128;

/// One block: where its signals, its code state and its outputs are. The N x block_size arrays start at a multiple of
/// vector_alignment.
struct BlockView {
    std::size_t first_signal = 0;     ///< global number, which also numbers its random draws
    std::size_t count = 0;            ///< at most block_size
    const double* signals = nullptr;  ///< count x M, signal after signal; NaN where an entry is missing
    bool gaps = false;                ///< whether any entry is missing
    double* code_var = nullptr;       ///< N x block_size, read and replaced
    double* density = nullptr;        ///< count; how many atoms each code uses (density_term())
    double* codes = nullptr;          ///< N x block_size, optional: the draw (Gibbs) or the mean (VB)
    double* codes_var = nullptr;      ///< N x block_size, optional: VB's marginal variances
    double* codes_on = nullptr;       ///< N x block_size, optional: on/off VB's probabilities that codes are not zero
    double* residuals = nullptr;      ///< M x block_size, on/off VB with gaps: the residuals, 0 where missing
    double* seen = nullptr;           ///< M x block_size, the same: 1 where an entry is observed, 0 where it is missing
};

/// Scratch memory of one thread, aligned for vectors; grows to the largest request.
class Workspace {
public:
    double* doubles(std::size_t count) {
        if (count > memory_.size()) memory_.resize(count);
        return memory_.data();
    }

private:
    AlignedDoubles memory_;
};

/// What a Gibbs pass needs besides signals (docs/math.md, G1 and G2).
struct GibbsSweep {
    const Mat* dictionary = nullptr;  ///< M x N
    double noise_precision = 1.0;
    GammaPrior code_prior;
    std::uint64_t seed = 0;
    std::uint32_t sweep = 0;
    std::uint32_t chain = 0;
    bool same_dictionary = false;  ///< it is that of the last sweep, so only what the noise changes is packed again
    bool statistics = true;        ///< false: only the codes are wanted, and the statistics may stay what they were
};

/// Draws codes given everything else, then their precisions given the codes, and gathers the statistics. Codes and
/// residuals are those of the observed entries; missing ones enter the statistics as SufficientStats says.
class GibbsKernel {
public:
    virtual ~GibbsKernel() = default;
    virtual void begin_sweep(const GibbsSweep& sweep) = 0;
    /// Adds the block's statistics to `stats`. May run on several threads at once, each with its own stats and
    /// workspace.
    virtual void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const = 0;
};

/// What a VB pass needs (V1 to V3): the moments of D under q.
struct VbSweep {
    const Mat* dictionary = nullptr;  ///< <D>, M x N
    const Vec* atom_var = nullptr;    ///< atoms independent: s_n, with <D^T D> = <D>^T<D> + M diag(s); otherwise null
    const Mat* row_cov = nullptr;     ///< rows share A: <D^T D> = <D>^T<D> + M A; otherwise null
    const Mat* entry_var = nullptr;   ///< signals with gaps: s_mn, the variance of each entry, in place of the two
    double noise_precision = 1.0;
    GammaPrior code_prior;
    bool unchanged = false;  ///< all of this is as in the last sweep, so nothing is packed again
};

/// Updates q(x_l), then q(alpha_l), and gathers the expected statistics; where entries are missing, from the others.
/// Without entry_var the statistics of signals with gaps serve no update of the atoms.
class VbKernel {
public:
    virtual ~VbKernel() = default;
    virtual void begin_sweep(const VbSweep& sweep) = 0;
    virtual void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const = 0;
};

class KernelSet {
public:
    virtual ~KernelSet() = default;
    [[nodiscard]] virtual std::unique_ptr<GibbsKernel> gibbs() const = 0;
    [[nodiscard]] virtual std::unique_ptr<VbKernel> vb() const = 0;
};

/// The set of that name. Throws an InputError that lists the names if there is none.
const KernelSet& kernel_set(std::string_view name);
std::vector<std::string> kernel_set_names();

const KernelSet& reference_kernels();
const KernelSet& cpu_kernels();

}  // namespace sbdl
