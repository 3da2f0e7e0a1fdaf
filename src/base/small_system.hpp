// A symmetric positive definite system of a few unknowns, solved by its Cholesky factor, which can grow row by row. The
// systems of single signals are too small for calls of a library to pay off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sbdl {

class SmallSystem {
public:
    [[nodiscard]] std::size_t order() const { return order_; }

    /// Changes the number of unknowns; remaining rows keep their values. New rows must be filled in through at(), up to
    /// the diagonal, and then factored.
    void resize(std::size_t order) {
        if (order > stride_) widen(std::max(order, 2 * stride_));
        order_ = order;
    }
    double& at(std::size_t row, std::size_t col) { return lower_[row * stride_ + col]; }
    [[nodiscard]] double at(std::size_t row, std::size_t col) const { return lower_[row * stride_ + col]; }

    /// Turns a row into that of the factor L; the rows before it must have been factored. The square of a pivot is at
    /// least `least_pivot2`.
    void factor_row(std::size_t i, double least_pivot2 = 0.0) {
        double* const row = lower_.data() + i * stride_;
        double pivot2 = row[i];
        for (std::size_t k = 0; k < i; ++k) {
            const double* const above = lower_.data() + k * stride_;
            double sum = row[k];
            for (std::size_t j = 0; j < k; ++j) sum -= row[j] * above[j];
            row[k] = sum / above[k];
            pivot2 -= row[k] * row[k];
        }
        row[i] = std::sqrt(std::max(pivot2, least_pivot2));
    }
    void factor(double least_pivot2 = 0.0) {
        for (std::size_t i = 0; i < order_; ++i) factor_row(i, least_pivot2);
    }

    /// x = (L L^T)^-1 x.
    void solve(double* x) const {
        forward(x, 0);
        for (std::size_t i = order_; i-- > 0;) {
            x[i] /= at(i, i);
            for (std::size_t j = 0; j < i; ++j) x[j] -= at(i, j) * x[i];
        }
    }

    /// x = L^-1 x, for an x that is zero before entry `first`.
    void forward(double* x, std::size_t first) const {
        for (std::size_t i = first; i < order_; ++i) {
            for (std::size_t j = first; j < i; ++j) x[i] -= at(i, j) * x[j];
            x[i] /= at(i, i);
        }
    }

    /// tr (L L^T)^-1. `column` is scratch memory, which the caller can reuse for many systems.
    [[nodiscard]] double inverse_trace(std::vector<double>& column) const {
        double sum = 0.0;
        for (std::size_t n = 0; n < order_; ++n) {
            column.assign(order_, 0.0);
            column[n] = 1.0;
            forward(column.data(), n);
            for (std::size_t i = n; i < order_; ++i) sum += column[i] * column[i];
        }
        return sum;
    }

private:
    void widen(std::size_t stride) {
        std::vector<double> wider(stride * stride);
        for (std::size_t i = 0; i < order_; ++i)
            std::copy_n(lower_.data() + i * stride_, i + 1, wider.data() + i * stride);
        lower_.swap(wider);
        stride_ = stride;
    }

    std::size_t order_ = 0, stride_ = 0;
    std::vector<double> lower_;
};

}  // namespace sbdl
