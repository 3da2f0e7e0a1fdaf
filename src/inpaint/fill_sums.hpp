// The mean of overlapping patches at every sample, weighted by how certain each patch is of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "inpaint/fill_state.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Sums over the patches that cover each sample, of an image or of some of its rows.
class FillSums {
public:
    /// Variances count as if they were larger by `least_variance`.
    FillSums(std::size_t planes, std::size_t rows, std::size_t cols, double least_variance);

    /// Adds a patch over all planes at (image_row, col) of the image, whose rows begin here at image_row - row.
    void add(std::size_t row, std::size_t image_row, std::size_t col, std::size_t patch,
             std::span<const Matrix> estimate_before, const Vec& pixels, const Vec& variances);

    /// Adds `rows` rows of a strip, which are the image's from `first` on, and clears them.
    void take(FillSums& strip, std::size_t first, std::size_t rows);

    /// The means become the estimate. The variance of a sample is that of its patches, on weighted average, plus the
    /// variance between them: a sample is a mixture of the patches that cover it. Samples without a patch stay.
    /// Missing samples move by `stride` times the way to their mean.
    void finish(FillState& state, double stride = 1.0) const;

private:
    double least_variance_;
    std::vector<Matrix> weight_;
    std::vector<Matrix> value_, square_;  // of estimates minus the estimate before
    std::vector<Matrix> variance_;
};

}  // namespace sbdl
