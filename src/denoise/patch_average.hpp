// The weighted mean of overlapping patches at every pixel, and its standard deviation.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Sums up patches. Two threads may add at the same time as long as their patches share no row.
class PatchAverage {
public:
    PatchAverage(std::size_t height, std::size_t width, std::size_t patch, bool with_std);

    /// `pixels` and `variances` are patch x patch, by rows; without with_std, variances may be empty.
    void add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
             std::span<const double> variances);

    struct Result {
        Matrix mean;  ///< weighted
        /// Square root of the patches' own variance, on weighted average, plus the variance between patches: a pixel is
        /// a mixture of the patches that cover it. Empty without with_std.
        Matrix std;
    };
    /// Every pixel must have a patch. The sums become the result, so that no further memory is needed.
    [[nodiscard]] Result finish(int threads) &&;

private:
    std::size_t patch_;
    Matrix weight_, sum_;
    Matrix square_, variance_;  // empty without with_std
};

/// For each row of patches, 0 ... patch_rows - 1: estimate(row, thread) on any thread, then add(row, thread) on the
/// same thread. Rows that share a pixel (patches have `patch` rows, and their first rows of pixels increase with their
/// number) are added one at a time and in an order that does not depend on the number of threads, so neither does the
/// sum at a pixel.
void for_each_row(std::size_t patch_rows, std::size_t patch, int threads,
                  const std::function<void(std::size_t row, int thread)>& estimate,
                  const std::function<void(std::size_t row, int thread)>& add);

}  // namespace sbdl
