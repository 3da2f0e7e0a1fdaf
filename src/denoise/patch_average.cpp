#include "denoise/patch_average.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/turn.hpp"

namespace sbdl {

PatchAverage::PatchAverage(std::size_t height, std::size_t width, std::size_t patch, bool with_std)
    : patch_(patch), weight_(height, width), sum_(height, width) {
    if (!with_std) return;
    square_ = Matrix(height, width);
    variance_ = Matrix(height, width);
}

void PatchAverage::add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
                       std::span<const double> variances) {
    for (std::size_t i = 0; i < patch_; ++i) {
        const double* from = pixels.data() + i * patch_;
        double* sum = sum_.row(row + i).data() + col;
        double* total = weight_.row(row + i).data() + col;
        for (std::size_t j = 0; j < patch_; ++j) {
            sum[j] += weight * from[j];
            total[j] += weight;
        }
        if (variance_.empty()) continue;
        const double* spread = variances.data() + i * patch_;
        double* square = square_.row(row + i).data() + col;
        double* variance = variance_.row(row + i).data() + col;
        for (std::size_t j = 0; j < patch_; ++j) {
            square[j] += weight * from[j] * from[j];
            variance[j] += weight * spread[j];
        }
    }
}

PatchAverage::Result PatchAverage::finish(int threads) && {
    parallel_for(Blocks(sum_.rows(), patch_), threads, [&](const IndexRange& rows, int) {
        for (std::size_t i = rows.first * sum_.cols(); i < rows.end() * sum_.cols(); ++i) {
            double& mean = sum_.data()[i];
            mean /= weight_.data()[i];
            if (variance_.empty()) continue;
            double& spread = variance_.data()[i];
            const double between = std::max(square_.data()[i] / weight_.data()[i] - mean * mean, 0.0);
            spread = std::sqrt(spread / weight_.data()[i] + between);
        }
    });
    return {std::move(sum_), std::move(variance_)};
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
