// Posterior mean and standard deviation of the training codes, gathered over kept sweeps. Twice signals x atoms
// doubles.
#pragma once

#include <vector>

#include "kernels/kernel_set.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class CodeAverage {
public:
    CodeAverage(std::size_t signal_count, std::size_t atom_count)
        : first_(signal_count, atom_count), sum_(signal_count, atom_count), sum_sq_(signal_count, atom_count) {}

    /// Adds a block's codes, entry n times scale[n]. Blocks may come from several threads at once.
    void add(const BlockView& view, const Vec& scale);
    /// Likewise all codes of a sweep at once.
    void add(const SparseCodes& codes, const Vec& scale);
    /// To be called once after every sweep that was added.
    void end_sweep() { ++count_; }
    [[nodiscard]] int count() const { return count_; }

    [[nodiscard]] Matrix mean() const;
    [[nodiscard]] Matrix std() const;

private:
    void add(std::size_t signal, std::size_t atom, double x);

    int count_ = 0;
    Matrix first_;  // the first draw; sums are taken about it, so that small spreads do not cancel
    Matrix sum_, sum_sq_;
};

}  // namespace sbdl
