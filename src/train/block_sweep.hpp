// A pass over all signals, block by block, with everything that stays with the signals: their code variances and
// densities.
//
// Blocks of a fixed size are gathered into at most max_chunks chunks of neighbours; a chunk sums its blocks in order,
// and the chunks are summed in order. Threads only decide who works on which chunk, so the sums do not depend on them.
#pragma once

#include <functional>
#include <vector>

#include "base/aligned.hpp"
#include "kernels/kernel_set.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

class BlockSweep {
public:
    /// Signals are divided by `unit` as they are read.
    BlockSweep(const SignalSource& source, double unit, std::size_t atom_count, int threads);

    using BlockWork = std::function<void(const BlockView&, SufficientStats&, Workspace&)>;

    /// Runs `work` on every block and sums the statistics.
    const SufficientStats& run(const BlockWork& work);

    [[nodiscard]] std::size_t signal_count() const { return source_.count(); }
    [[nodiscard]] std::size_t signal_dim() const { return source_.dim(); }
    [[nodiscard]] std::size_t atom_count() const { return atom_count_; }
    [[nodiscard]] double unit() const { return unit_; }
    [[nodiscard]] const SignalSource& source() const { return source_; }
    [[nodiscard]] int threads() const { return threads_; }

    /// One signal in the learner's units.
    [[nodiscard]] Vec signal(std::size_t l) const;
    /// How many atoms each signal's code used in the last pass.
    [[nodiscard]] const std::vector<double>& density() const { return density_; }

    void fill_code_var(double value);
    /// The code variances of one block, N x block_size.
    [[nodiscard]] double* code_var(std::size_t block) { return code_var_.data() + block * atom_count_ * block_size; }

private:
    void add_up();

    [[nodiscard]] std::size_t block_count() const { return (signal_count() + block_size - 1) / block_size; }

    const SignalSource& source_;
    double unit_;
    std::size_t atom_count_;
    int threads_;
    AlignedDoubles code_var_;
    std::vector<double> density_;
    std::vector<SufficientStats> chunk_stats_;
    SufficientStats total_;
    std::vector<Workspace> workspaces_;               // one a thread
    std::vector<std::vector<double>> signal_buffer_;  // likewise
};

/// One over the signals' mean square in the learner's units: where the noise precision starts.
double signal_precision(const BlockSweep& signals);

/// Root mean square of all entries: the learner's unit. 1 for signals that are all zero.
double root_mean_square(const SignalSource& source);

}  // namespace sbdl
