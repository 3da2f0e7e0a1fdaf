// The weighted mean of overlapping patches at every pixel, and its standard deviation.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Sums up patches. Two threads may add at the same time as long as their patches share no row.
class PatchAverage {
public:
    PatchAverage(std::size_t height, std::size_t width, std::size_t patch, bool with_std);

    /// `pixels` and `variances` are patch x patch, by rows; without with_std, variances may be empty.
    void add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
             std::span<const double> variances);

    /// The weighted mean.
    [[nodiscard]] Matrix mean() const;
    /// Square root of the patches' own variance, on weighted average, plus the variance between patches: a pixel is a
    /// mixture of the patches that cover it.
    [[nodiscard]] Matrix std() const;

private:
    std::size_t patch_;
    Matrix weight_, sum_;
    Matrix square_, variance_;  // empty without with_std
};

/// Calls work(first, last, thread) for bands of rows of patches, 0 ... patch_rows - 1, such that patches (of `patch`
/// rows, whose first pixel rows increase with their number) of bands that run at the same time share no pixel. The sum
/// at a pixel does not depend on the number of threads.
void for_each_band(std::size_t patch_rows, std::size_t patch, int threads,
                   const std::function<void(std::size_t first, std::size_t last, int thread)>& work);

}  // namespace sbdl
