// Mean and standard deviation of the training codes: averaged over the kept draws of a chain, or the moments of the
// last variational sweep. Takes up to four times signals x atoms doubles.
#pragma once

#include <vector>

#include "base/state_archive.hpp"
#include "kernels/kernel_set.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// Moments of one signal's code, entry by entry.
struct CodeMoments {
    Vec mean, std, probability;
};

class CodeRecord {
public:
    CodeRecord() = default;
    /// With `on_off` the record also counts how often each entry is not zero.
    CodeRecord(std::size_t signal_count, std::size_t atom_count, bool on_off = false)
        : first_(signal_count, atom_count),
          sum_(signal_count, atom_count),
          sum_sq_(signal_count, atom_count),
          on_(on_off ? Matrix(signal_count, atom_count) : Matrix()) {}

    /// Adds a block's codes, entry n multiplied by scale[n]; `row` is the record's row of the block's first signal.
    /// Blocks may come from several threads at once.
    void add(const BlockView& view, std::size_t row, const Vec& scale);
    /// The same for sparse codes.
    void add(const SparseCodes& codes, std::size_t row, const Vec& scale);
    /// Call once after every sweep that was added.
    void end_sweep() { ++count_; }
    [[nodiscard]] int count() const { return count_; }

    /// Replaces the record of a block with its means and standard deviations, entry n multiplied by scale[n], and with
    /// its probabilities if they are wanted.
    void replace(const BlockView& view, std::size_t row, const Vec& scale);
    /// The same for one signal.
    void replace(const CodeMoments& moments, std::size_t row, const Vec& scale);
    /// Call once after every sweep that was replaced.
    void end_replacing() { moments_ = true; }

    [[nodiscard]] Matrix mean() const;
    [[nodiscard]] Matrix std() const;
    /// The share of the draws in which each entry is on, or its probability; empty unless it was wanted.
    [[nodiscard]] Matrix probability() const;

    void archive(StateArchive& archive);

private:
    void add(std::size_t signal, std::size_t atom, double x);

    int count_ = 0;
    bool moments_ = false;  // first_, sum_ and on_ are mean, standard deviation and probability
    Matrix first_;          // the first draw; sums are taken about it, so that small spreads do not cancel
    Matrix sum_, sum_sq_;
    Matrix on_;  // in how many draws each entry is not zero; empty: not counted
};

}  // namespace sbdl
