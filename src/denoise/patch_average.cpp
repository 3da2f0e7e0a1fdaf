#include "denoise/patch_average.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "base/turn.hpp"

namespace sbdl {

PatchAverage::PatchAverage(std::size_t height, std::size_t width, std::size_t patch, bool with_std)
    : patch_(patch), width_(width), with_std_(with_std), rows_(height) {}

PatchAverage::RowSums& PatchAverage::sums_of(std::size_t row) {
    RowSums& sums = rows_[row];
    if (sums.sum.empty()) {
        sums.weight.resize(width_);
        sums.sum.resize(width_);
        sums.square.resize(with_std_ ? width_ : 0);
        sums.variance.resize(with_std_ ? width_ : 0);
    }
    return sums;
}

void PatchAverage::add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
                       std::span<const double> variances) {
    for (std::size_t i = 0; i < patch_; ++i) {
        RowSums& sums = sums_of(row + i);
        const double* from = pixels.data() + i * patch_;
        double* sum = sums.sum.data() + col;
        double* total = sums.weight.data() + col;
        for (std::size_t j = 0; j < patch_; ++j) {
            sum[j] += weight * from[j];
            total[j] += weight;
        }
        if (!with_std_) continue;
        const double* spread = variances.data() + i * patch_;
        double* square = sums.square.data() + col;
        double* variance = sums.variance.data() + col;
        for (std::size_t j = 0; j < patch_; ++j) {
            square[j] += weight * from[j] * from[j];
            variance[j] += weight * spread[j];
        }
    }
}

Matrix PatchAverage::mean(int threads) const {
    Matrix mean(rows_.size(), width_);
    parallel_for(Blocks(rows_.size(), patch_), threads, [&](const IndexRange& rows, int) {
        for (std::size_t row = rows.first; row < rows.end(); ++row)
            for (std::size_t col = 0; col < width_; ++col)
                mean(row, col) = rows_[row].sum[col] / rows_[row].weight[col];
    });
    return mean;
}

Matrix PatchAverage::std() const {
    Matrix spread(rows_.size(), width_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const RowSums& sums = rows_[row];
        for (std::size_t col = 0; col < width_; ++col) {
            const double mean = sums.sum[col] / sums.weight[col];
            const double between = std::max(sums.square[col] / sums.weight[col] - mean * mean, 0.0);
            spread(row, col) = std::sqrt(sums.variance[col] / sums.weight[col] + between);
        }
    }
    return spread;
}

void for_each_row(std::size_t patch_rows, std::size_t patch, int threads,
                  const std::function<void(std::size_t, int)>& estimate,
                  const std::function<void(std::size_t, int)>& add) {
    const Blocks bands(patch_rows, std::max<std::size_t>(patch, 8));
    const std::size_t height = bands.size(0);
    const std::size_t even = (bands.number() + 1) / 2, odd = bands.number() / 2;
    std::vector<Served> added(bands.number());  // rows of each band
    // Neighbouring bands share pixels, every other one does not: even bands come first. Of these, first the first row
    // of every band, then the second: threads seldom meet in one band.
    parallel_for(bands.number() * height, threads, [&](std::size_t item, int thread) {
        const bool first_half = item < even * height;
        const std::size_t among = first_half ? even : odd, at = first_half ? item : item - even * height;
        const IndexRange band = bands[2 * (at % among) + (first_half ? 0 : 1)];
        const std::size_t place = at / among;
        if (place >= band.size) return;  // the last band may be lower
        const Turn turn(added[band.number], place);
        estimate(band.first + place, thread);
        if (!first_half) {
            wait_for(added[band.number - 1], bands.size(band.number - 1));
            if (band.number + 1 < bands.number()) wait_for(added[band.number + 1], bands.size(band.number + 1));
        }
        turn.wait();
        add(band.first + place, thread);
    });
}

}  // namespace sbdl
