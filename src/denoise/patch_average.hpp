// The weighted mean of overlapping patches at every pixel, and its standard deviation. Only the sums of some rows are
// in memory: once no further patch covers a row, it is finished.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "denoise/patch_size.hpp"
#include "denoise/plane.hpp"

namespace sbdl {

/// Rows of pixels that the patches of one strip begin in, about: enough work for many threads.
constexpr std::size_t strip_rows = 1024;

/// Sums at the pixels of some rows of an image, 0 at first.
class RowSums {
public:
    /// Of `most` rows, or of all if there are fewer; at first those from row 0 on.
    RowSums(std::size_t height, std::size_t width, std::size_t most)
        : width_(width), sums_(std::min(height, most) * width) {}

    [[nodiscard]] float* row(std::size_t row) { return sums_.data() + (row - first_) * width_; }
    /// The rows from `row` on take the place of those before.
    void begin_at(std::size_t row);

private:
    std::size_t width_, first_ = 0;
    std::vector<float> sums_;
};

/// Sums up patches. Two threads may add at the same time as long as their patches share no row.
class PatchAverage {
public:
    /// Of patches that are near `reference`, which must outlive this: their differences from it are summed, so that
    /// single precision is enough.
    PatchAverage(const Plane& reference, PatchSize patch, bool with_std);

    /// `pixels` and `variances` are those of a patch, by rows; without with_std, variances may be empty.
    void add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
             std::span<const double> variances);

    /// No patch that is still to come covers a row before `end`: these are finished. Every pixel must have a patch.
    void finish_rows(std::size_t end);

    struct Result {
        Plane mean;  ///< weighted
        /// Square root of the patches' own variance, on weighted average, plus the variance between patches: a pixel is
        /// a mixture of the patches that cover it. Empty without with_std.
        Plane std;
    };
    /// After all rows are finished.
    [[nodiscard]] Result result() && { return std::move(result_); }

private:
    const Plane& reference_;
    PatchSize patch_;
    std::size_t finished_ = 0;  // rows
    Result result_;
    RowSums weight_, sum_;
    RowSums square_, variance_;  // of no rows without with_std
};

/// For each row of patches, 0 ... patch_rows - 1: estimate(row, thread) on any thread, then add(row, thread) on the
/// same thread. Rows that share a pixel (patches have `patch` rows, and their first rows of pixels increase with their
/// number) are added one at a time and in an order that does not depend on the number of threads, so neither does the
/// sum at a pixel. The rows are taken in strips of at most `most` rows of patches; after each of them, finish(end) is
/// called: all before row `end` have been added, and none of the others.
void for_each_row(std::size_t patch_rows, std::size_t patch, std::size_t most, int threads,
                  const std::function<void(std::size_t row, int thread)>& estimate,
                  const std::function<void(std::size_t row, int thread)>& add,
                  const std::function<void(std::size_t end)>& finish);

/// The same in one strip, with nothing to finish.
void for_each_row(std::size_t patch_rows, std::size_t patch, int threads,
                  const std::function<void(std::size_t row, int thread)>& estimate,
                  const std::function<void(std::size_t row, int thread)>& add);

}  // namespace sbdl
