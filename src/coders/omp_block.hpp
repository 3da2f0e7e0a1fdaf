// Batch-OMP of a block of signals: their correlations by one matrix product, then one code after the other. A signal
// whose norm is within the allowed error has an empty code and is left out of the product; this is often more than half
// of an image's patches.
#pragma once

#include <span>
#include <vector>

#include "coders/batch_omp.hpp"

namespace sbdl {

/// What one thread needs; reused for block after block.
class OmpBlock {
public:
    /// For blocks of at most `capacity` signals. `omp` must outlive this.
    OmpBlock(const BatchOmp& omp, std::size_t capacity);

    /// Loads signals, one after the other; they are not copied and must not move or change while they are coded. A
    /// pursuit stops at a residual of squared norm max_error2, the same for all signals or one for each.
    void load(const double* signals, std::size_t count, double max_error2);
    void load(const double* signals, std::span<const double> max_error2);

    /// The code of signal i of the block, valid until the next one.
    BatchOmp::Code code(std::size_t i);

    [[nodiscard]] double norm2(std::size_t i) const { return norm2_[i]; }

private:
    void correlate();

    const BatchOmp& omp_;
    BatchOmp::Scratch scratch_;
    const double* signals_ = nullptr;
    std::vector<double> norm2_, max_error2_;
    std::vector<std::size_t> place_;            // of a signal among those in the product
    std::vector<double> large_, correlations_;  // the signals in the product, and its result
};

}  // namespace sbdl
