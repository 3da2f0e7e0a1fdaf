#include "denoise/patch_average.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {

PatchAverage::PatchAverage(std::size_t height, std::size_t width, std::size_t patch, bool with_std)
    : patch_(patch), weight_(height, width), sum_(height, width) {
    if (with_std) {
        square_ = Matrix(height, width);
        variance_ = Matrix(height, width);
    }
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
        if (square_.empty()) continue;
        const double* spread = variances.data() + i * patch_;
        double* square = square_.row(row + i).data() + col;
        double* variance = variance_.row(row + i).data() + col;
        for (std::size_t j = 0; j < patch_; ++j) {
            square[j] += weight * from[j] * from[j];
            variance[j] += weight * spread[j];
        }
    }
}

Matrix PatchAverage::mean() const {
    Matrix mean(sum_.rows(), sum_.cols());
    for (std::size_t i = 0; i < mean.size(); ++i) mean.data()[i] = sum_.data()[i] / weight_.data()[i];
    return mean;
}

Matrix PatchAverage::std() const {
    Matrix spread(sum_.rows(), sum_.cols());
    for (std::size_t i = 0; i < spread.size(); ++i) {
        const double weight = weight_.data()[i];
        const double mean = sum_.data()[i] / weight;
        const double between = std::max(square_.data()[i] / weight - mean * mean, 0.0);
        spread.data()[i] = std::sqrt(variance_.data()[i] / weight + between);
    }
    return spread;
}

namespace {

/// A turn in a queue: places are served in order, and the next one is let in when this ends.
class Turn {
public:
    Turn(std::atomic<std::size_t>& served, std::size_t place) : served_(served), place_(place) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        wait();  // after an exception too: nobody may be let in before this place, or wait for it for ever
        served_.store(place_ + 1);
        served_.notify_all();
    }
    void wait() {
        for (std::size_t served = served_.load(); served < place_; served = served_.load()) served_.wait(served);
    }

private:
    std::atomic<std::size_t>& served_;
    std::size_t place_;
};

}  // namespace

void for_each_row(std::size_t patch_rows, std::size_t patch, int threads,
                  const std::function<void(std::size_t, int)>& estimate,
                  const std::function<void(std::size_t, int)>& add) {
    const std::size_t height = std::max<std::size_t>(patch, 8);
    const std::size_t bands = (patch_rows + height - 1) / height;
    for (const std::size_t odd : {0, 1}) {  // neighbouring bands share pixels, every other one does not
        const std::size_t count = (bands + 1 - odd) / 2;
        std::vector<std::atomic<std::size_t>> added(count);  // rows of each band
        // First the first row of every band, then the second: threads seldom meet in one band.
        parallel_for(count * height, threads, [&](std::size_t item, int thread) {
            const std::size_t band = item % count, place = item / count;
            const std::size_t row = (2 * band + odd) * height + place;
            if (row >= patch_rows) return;  // the last band may be lower
            Turn turn(added[band], place);
            estimate(row, thread);
            turn.wait();
            add(row, thread);
        });
    }
}

}  // namespace sbdl
