#include "inpaint/fill_sums.hpp"

#include <algorithm>

namespace sbdl {
namespace {

void take_rows(std::vector<Matrix>& from, std::vector<Matrix>& to, std::size_t first, std::size_t rows) {
    for (std::size_t p = 0; p < to.size(); ++p) {
        const std::size_t count = rows * to[p].cols();
        double* const out = to[p].data() + first * to[p].cols();
        for (std::size_t i = 0; i < count; ++i) out[i] += from[p].data()[i];
        std::fill_n(from[p].data(), count, 0.0);
    }
}

}  // namespace

FillSums::FillSums(std::size_t planes, std::size_t rows, std::size_t cols, double least_variance)
    : least_variance_(least_variance) {
    for (auto* const sums : {&weight_, &value_, &square_, &variance_}) sums->assign(planes, Matrix(rows, cols));
}

void FillSums::add(std::size_t row, std::size_t image_row, std::size_t col, std::size_t patch,
                   std::span<const Matrix> estimate_before, const Vec& pixels, const Vec& variances) {
    const double* from = pixels.data();
    const double* of = variances.data();
    for (std::size_t p = 0; p < weight_.size(); ++p)
        for (std::size_t i = 0; i < patch; ++i, from += patch, of += patch) {
            const double* const before = estimate_before[p].row(image_row + i).data() + col;
            double* const weight = weight_[p].row(row + i).data() + col;
            double* const value = value_[p].row(row + i).data() + col;
            double* const square = square_[p].row(row + i).data() + col;
            double* const variance = variance_[p].row(row + i).data() + col;
            for (std::size_t j = 0; j < patch; ++j) {
                const double sure = 1.0 / (of[j] + least_variance_), off = from[j] - before[j];
                weight[j] += sure;
                value[j] += sure * off;
                square[j] += sure * off * off;
                variance[j] += sure * of[j];
            }
        }
}

void FillSums::take(FillSums& strip, std::size_t first, std::size_t rows) {
    take_rows(strip.weight_, weight_, first, rows);
    take_rows(strip.value_, value_, first, rows);
    take_rows(strip.square_, square_, first, rows);
    take_rows(strip.variance_, variance_, first, rows);
}

void FillSums::finish(FillState& state, double stride) const {
    for (std::size_t p = 0; p < weight_.size(); ++p)
        for (std::size_t i = 0; i < weight_[p].size(); ++i) {
            const double weight = weight_[p].data()[i];
            if (weight == 0.0) continue;
            const double step = value_[p].data()[i] / weight;
            const double apart = std::max(square_[p].data()[i] / weight - step * step, 0.0);
            state.estimate[p].data()[i] += (state.observed[p][i] != 0 ? 1.0 : stride) * step;
            state.variance[p].data()[i] = variance_[p].data()[i] / weight + apart;
        }
}

}  // namespace sbdl
