#include "denoise/patch_average.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/turn.hpp"

namespace sbdl {
namespace {

/// Rows of patches that follow each other.
void add_strip(const IndexRange& strip, std::size_t patch, int threads,
               const std::function<void(std::size_t, int)>& estimate,
               const std::function<void(std::size_t, int)>& add) {
    const Blocks bands(strip.size, std::max<std::size_t>(patch, 8));
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
        estimate(strip.first + band.first + place, thread);
        if (!first_half) {
            wait_for(added[band.number - 1], bands.size(band.number - 1));
            if (band.number + 1 < bands.number()) wait_for(added[band.number + 1], bands.size(band.number + 1));
        }
        turn.wait();
        add(strip.first + band.first + place, thread);
    });
}

}  // namespace

void RowSums::begin_at(std::size_t row) {
    const std::size_t past = std::min((row - first_) * width_, sums_.size());
    const auto rest = std::copy(sums_.begin() + static_cast<std::ptrdiff_t>(past), sums_.end(), sums_.begin());
    std::fill(rest, sums_.end(), 0.0F);
    first_ = row;
}

PatchAverage::PatchAverage(const Plane& reference, PatchSize patch, bool with_std)
    : reference_(reference),
      patch_(patch),
      result_{Plane(reference.rows(), reference.cols(), reference.scale()), Plane()},
      weight_(reference.rows(), reference.cols(), strip_rows + patch.height),
      sum_(weight_),
      square_(with_std ? reference.rows() : 0, reference.cols(), strip_rows + patch.height),
      variance_(square_) {
    if (with_std) result_.std = Plane(reference.rows(), reference.cols(), {0.0, reference.scale().unit});
}

void PatchAverage::add(std::size_t row, std::size_t col, double weight, std::span<const double> pixels,
                       std::span<const double> variances) {
    const double unit = reference_.scale().unit, offset = reference_.scale().offset;
    const auto added = [weight](float sum, double value) { return static_cast<float>(sum + weight * value); };
    for (std::size_t i = 0; i < patch_.height; ++i) {
        const double* const from = pixels.data() + i * patch_.width;
        const float* const near = reference_.stored_row(row + i) + col;
        const auto off = [=](std::size_t j) { return (from[j] - offset) / unit - static_cast<double>(near[j]); };
        float* const sum = sum_.row(row + i) + col;
        float* const total = weight_.row(row + i) + col;
        for (std::size_t j = 0; j < patch_.width; ++j) {
            sum[j] = added(sum[j], off(j));
            total[j] = added(total[j], 1.0);
        }
        if (result_.std.empty()) continue;
        const double* const spread = variances.data() + i * patch_.width;
        float* const square = square_.row(row + i) + col;
        float* const variance = variance_.row(row + i) + col;
        for (std::size_t j = 0; j < patch_.width; ++j) {
            square[j] = added(square[j], off(j) * off(j));
            variance[j] = added(variance[j], spread[j] / (unit * unit));
        }
    }
}

void PatchAverage::finish_rows(std::size_t end) {
    const bool with_std = !result_.std.empty();
    for (std::size_t row = finished_; row < end; ++row) {
        const float* const weight = weight_.row(row);
        const float* const near = reference_.stored_row(row);
        for (std::size_t col = 0; col < reference_.cols(); ++col) {
            const double total = weight[col], off = sum_.row(row)[col] / total;
            result_.mean.stored_row(row)[col] = static_cast<float>(static_cast<double>(near[col]) + off);
            if (!with_std) continue;
            const double between = std::max(square_.row(row)[col] / total - off * off, 0.0);
            result_.std.stored_row(row)[col] = static_cast<float>(std::sqrt(variance_.row(row)[col] / total + between));
        }
    }
    for (RowSums* const sums : {&weight_, &sum_, &square_, &variance_}) sums->begin_at(end);
    finished_ = end;
}

void for_each_row(std::size_t patch_rows, std::size_t patch, std::size_t most, int threads,
                  const std::function<void(std::size_t, int)>& estimate,
                  const std::function<void(std::size_t, int)>& add, const std::function<void(std::size_t)>& finish) {
    for (const IndexRange& strip : Parts(patch_rows, (patch_rows + most - 1) / most)) {
        add_strip(strip, patch, threads, estimate, add);
        finish(strip.end());
    }
}

void for_each_row(std::size_t patch_rows, std::size_t patch, int threads,
                  const std::function<void(std::size_t, int)>& estimate,
                  const std::function<void(std::size_t, int)>& add) {
    add_strip({0, 0, patch_rows}, patch, threads, estimate, add);
}

}  // namespace sbdl
